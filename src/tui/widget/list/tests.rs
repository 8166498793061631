//! What is selected is seen, what is read stays, and the number of items costs nothing.

use std::cell::Cell;

use proptest::prelude::*;

use super::*;

fn frame(list: &mut ListView, width: u16, height: u16, rows: impl Fn(usize) -> usize) -> Vec<(usize, usize, u16)> {
    let area = Rect::new(0, 0, width, height);
    let mut items = Vec::new();
    list.render(area, &mut Buffer::empty(area), &Theme::default(), rows, |item, _| {
        items.push((item.index, item.skip, item.area.height));
    });
    items
}

fn indices(items: &[(usize, usize, u16)]) -> Vec<usize> {
    items.iter().map(|item| item.0).collect()
}

fn list(len: usize) -> ListView {
    let mut list = ListView::default();
    list.set_len(len);
    list
}

#[test]
fn the_selection_stays_in_sight() {
    let mut list = list(100);
    assert_eq!(indices(&frame(&mut list, 9, 3, |_| 1)), [0, 1, 2]);
    list.move_by(2);
    assert_eq!(indices(&frame(&mut list, 9, 3, |_| 1)), [0, 1, 2]);
    list.move_by(1);
    assert_eq!(indices(&frame(&mut list, 9, 3, |_| 1)), [1, 2, 3]);
    list.select(99);
    assert_eq!(indices(&frame(&mut list, 9, 3, |_| 1)), [97, 98, 99]);
    list.move_by(-2);
    assert_eq!(indices(&frame(&mut list, 9, 3, |_| 1)), [97, 98, 99]);
    list.move_by(isize::MIN);
    assert_eq!((list.selected(), indices(&frame(&mut list, 9, 3, |_| 1))), (Some(0), vec![0, 1, 2]));
}

#[test]
fn items_of_several_rows_are_cut_at_the_edges() {
    let mut list = list(3);
    list.select(2);
    assert_eq!(frame(&mut list, 9, 4, |_| 3), [(1, 2, 1), (2, 0, 3)]);
    list.select(0);
    assert_eq!(frame(&mut list, 9, 4, |_| 3), [(0, 0, 3), (1, 0, 1)]);
    // An item higher than the page shows its first row.
    list.select(1);
    assert_eq!(frame(&mut list, 9, 2, |_| 3), [(1, 0, 2)]);
}

#[test]
fn appended_items_move_nothing_unless_followed() {
    let mut list = list(100);
    list.select(40);
    let before = frame(&mut list, 9, 5, |_| 1);
    list.set_follow(true);
    list.set_len(5000);
    assert_eq!(frame(&mut list, 9, 5, |_| 1), before);
    assert_eq!(list.selected(), Some(40));
    list.select(4999);
    list.set_len(5001);
    assert_eq!(list.selected(), Some(5000));
    assert_eq!(indices(&frame(&mut list, 9, 2, |_| 1)), [4999, 5000]);
    list.set_follow(false);
    list.set_len(6000);
    assert_eq!(list.selected(), Some(5000));
    list.set_len(3);
    assert_eq!((list.selected(), indices(&frame(&mut list, 9, 2, |_| 1))), (Some(2), vec![1, 2]));
    list.set_len(0);
    assert_eq!((list.selected(), frame(&mut list, 9, 2, |_| 1)), (None, vec![]));
}

#[test]
fn scrolling_leaves_the_selection_alone() {
    let mut list = list(100);
    frame(&mut list, 9, 3, |_| 2);
    list.scroll(5, |_| 2);
    assert_eq!(frame(&mut list, 9, 3, |_| 2), [(2, 1, 1), (3, 0, 2)]);
    assert_eq!(list.selected(), Some(0));
    assert_eq!(list.item_at(0, 0, |_| 2), Some(2));
    assert_eq!(list.item_at(0, 1, |_| 2), Some(3));
    assert_eq!(list.item_at(0, 3, |_| 2), None);
    list.scroll(-2, |_| 2);
    assert_eq!(frame(&mut list, 9, 3, |_| 2)[0], (1, 1, 1));
    list.move_by(1);
    assert_eq!(frame(&mut list, 9, 3, |_| 2)[0], (1, 0, 2));
}

#[test]
fn a_frame_asks_only_about_what_is_near() {
    for len in [100, 100_000, 10_000_000] {
        let mut list = list(len);
        let asked = Cell::new(0);
        let height = |_| {
            asked.set(asked.get() + 1);
            2
        };
        for index in [0, len / 2, len - 1, 3] {
            list.select(index);
            asked.set(0);
            frame(&mut list, 80, 40, height);
            assert!(asked.get() < 200, "{} of {len} at {index}", asked.get());
        }
    }
}

proptest! {
    #[test]
    fn the_selected_item_is_drawn_and_the_page_is_full(
        heights in prop::collection::vec(0usize..7, 1..40),
        moves in prop::collection::vec((-9isize..10, 1u16..12), 1..20),
    ) {
        let height = |index: usize| heights[index];
        let mut list = list(heights.len());
        let all: usize = heights.iter().map(|&rows| rows.max(1)).sum();
        for (by, page) in moves {
            list.move_by(by);
            let items = frame(&mut list, 9, page, height);
            prop_assert!(items.iter().any(|item| Some(item.0) == list.selected()), "{items:?}");
            let rows: usize = items.iter().map(|item| usize::from(item.2)).sum();
            prop_assert_eq!(rows, all.min(usize::from(page)));
            prop_assert!(items.windows(2).all(|pair| pair[0].0 + 1 == pair[1].0));
        }
    }
}
