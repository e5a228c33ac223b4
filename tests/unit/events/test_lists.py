"""List documents: cut by content, read back in order, and compared without reading what is shared."""

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from ledger.canon.canonical import canonical
from ledger.canon.digest import digest
from ledger.canon.stored import load
from ledger.events.lists import CUT_BELOW, ERASED, MOST_ITEMS, list_bodies, list_changes, list_items

numbers = st.lists(st.integers(0, 400), max_size=300)


class Shelf:
    """Documents by digest, and a note of which were read."""

    def __init__(self):
        self.bodies = {}
        self.read_names = []

    def put(self, items):
        bodies = list_bodies([canonical(item) for item in items])
        self.bodies |= dict(bodies)
        return bodies[-1][0]

    def read(self, name):
        self.read_names.append(name)
        return load(self.bodies[name])


def tools(count):
    return [[f"tool-{number}", f"digest-{number}"] for number in range(count)]


@given(numbers)
def test_a_list_is_read_back_in_its_order(items):
    shelf = Shelf()
    assert list(list_items(shelf.put(items), shelf.read)) == items


@given(numbers)
def test_every_document_is_canonical_and_named_by_its_digest(items):
    for name, body in list_bodies([canonical(item) for item in items]):
        assert body == canonical(load(body))
        assert name == digest(load(body))


@given(numbers)
def test_a_chunk_ends_after_a_cutting_item_or_after_64(items):
    """The rule of the frozen format, told a second time in the plainest way."""
    expected, chunk = [], []
    for item in items:
        chunk.append(item)
        if int(digest(item).partition(":")[2][:2], 16) < CUT_BELOW or len(chunk) == MOST_ITEMS:
            expected.append(chunk)
            chunk = []
    expected += [chunk] if chunk else []
    *chunks, (_, root) = list_bodies([canonical(item) for item in items])
    if len(items) <= MOST_ITEMS:
        assert load(root) == {"list": items}
    else:
        assert [load(body)["list"] for _, body in chunks] == expected
        assert load(root) == {"chunks": [name for name, _ in chunks]}


def test_64_items_are_one_document_and_65_are_cut():
    assert len(list_bodies([b"1"] * 64)) == 1
    assert len(list_bodies([b"1"] * 65)) == 3


@settings(max_examples=60)
@given(numbers, numbers)
def test_changes_are_the_naive_difference(before, after):
    shelf = Shelf()
    removed, added = list_changes(shelf.put(before), shelf.put(after), shelf.read)
    assert Counter(removed) == Counter(before) - Counter(after)
    assert Counter(added) == Counter(after) - Counter(before)


@given(st.permutations(range(100)))
def test_a_list_that_is_only_reordered_has_no_changes(items):
    shelf = Shelf()
    assert list_changes(shelf.put(list(range(100))), shelf.put(list(items)), shelf.read) == ([], [])


def test_without_a_list_before_everything_is_added():
    shelf = Shelf()
    assert list_changes(None, shelf.put(tools(200)), shelf.read) == ([], tools(200))


def test_the_same_list_is_not_read_at_all():
    shelf = Shelf()
    name = shelf.put(tools(200))
    assert list_changes(name, name, shelf.read) == ([], [])
    assert shelf.read_names == []


@settings(max_examples=60)
@given(st.integers(0, 999), st.sampled_from(["change", "remove", "insert"]))
def test_a_change_of_one_item_of_a_thousand_stores_a_handful_of_documents_and_reads_as_few(place, what):
    shelf = Shelf()
    before = shelf.put(tools(1000))
    known = set(shelf.bodies)
    items = tools(1000)
    match what:
        case "change":
            items[place] = ["other", "digest"]
        case "remove":
            del items[place]
        case "insert":
            items.insert(place, ["other", "digest"])
    after = shelf.put(items)
    # the root, the chunk with the change, and those up to the next item that cuts
    assert len(shelf.bodies.keys() - known) <= 10
    removed, added = list_changes(before, after, shelf.read)
    assert removed == ([] if what == "insert" else [tools(1000)[place]])
    assert added == ([] if what == "remove" else [["other", "digest"]])
    assert len(shelf.read_names) <= 20


def test_an_erased_chunk_is_one_item_its_mark():
    shelf = Shelf()
    name = shelf.put(tools(200))
    first = load(shelf.bodies[name])["chunks"][0]
    kept = load(shelf.bodies[first])["list"]

    def read(asked):
        return ERASED if asked == first else shelf.read(asked)

    assert list(list_items(name, read)) == [{"erased": first}, *tools(200)[len(kept) :]]


def test_an_erased_list_is_one_item_its_mark():
    assert list(list_items("gone", lambda _: ERASED)) == [{"erased": "gone"}]
    assert list_changes(None, "gone", lambda _: ERASED) == ([], [{"erased": "gone"}])
