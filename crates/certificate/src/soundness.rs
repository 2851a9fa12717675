//! Why acceptance implies truth.
//!
//! Let the *house value* of a board be the seeds that its mover gets from the houses, less those that the opponent
//! gets, when both play perfectly. Stores change no move, so the value of a position is its lead in stores plus the
//! house value. A lemma says that the house value of its board is at least its margin.
//!
//! **Bounds.** The house value of a board with `n` seeds is `-n` to `n`, under every option: each seed ends up with one
//! player or, where the remaining ones are lost, with neither. So a board that needs at most `-n` needs no lemma. A
//! margin or claim outside the bounds is refused, and with that no sum below can leave 64 bits. Parity and "the rest is
//! the opponent's", which `remaining-lost` would break, are not used.
//!
//! **Descent.** Give each seed its distance to the store at the end of the row it lies in. With every move the pair
//! (seeds in houses, sum of distances) falls in lexicographic order:
//! - a move that brings a seed to a store leaves fewer seeds in houses. That is every move that sows past the end of the
//!   mover's row, since counter-clockwise the store comes next; every `again`; and every capture, of whichever kind,
//!   since it takes the last seed at least;
//! - any other move stays inside the mover's row, all sowings of a relay included, and brings each seed that it picks up
//!   nearer to that row's end.
//!
//! This holds on any board, also with one house per row and with any number of seeds, and does not depend on how the
//! board arose. Where seeds are sown clockwise it does not hold, since those from the mover's left end go to the
//! opponent's row without passing the store: such games are refused. So are games with the pie rule: a swap is a move
//! that no board shows.
//!
//! **Lemmas.** Suppose that all lemmas are accepted, and that those of smaller boards in the order of descent are true. A
//! lemma's board is live and its house holds seeds, so its move is legal and brings `gain`. It has to leave the prover
//! `margin - gain`. Then one of three is the case:
//! - the game is over: the seeds left in the rows (none, where they are lost) bring that margin;
//! - the prover moves again: the board there, a smaller one, has a lemma for that margin, or needs none by the bounds;
//! - the opponent moves: every sequence of moves that is a turn is played. Each gain of the opponent raises the margin
//!   that is needed, until the game is over, as above, or the prover is to move on a board, a smaller one, that has a
//!   lemma for that margin or needs none. The same board within a turn always comes with the same gain, since the seeds
//!   of the turn are in one store, so it is followed once.
//!
//! So the lemma is true, and by induction all are: they cannot prove each other in a circle. The claim is then true by
//! the same argument, as the prover's or as the opponent's turn.
//!
//! # Cost
//!
//! A lemma is one move and at most one turn of the opponent. A turn that passes through more than
//! [`MAX_TURN_BOARDS`](crate::MAX_TURN_BOARDS) + L boards, of a certificate with L lemmas, is refused. So memory is
//! O(L + 2^20) boards, and at most O(L (L + 2^20)) moves are played. (A turn that must be followed ends on boards with
//! lemmas of their own, or with the game.) A sowing takes constant time, since laps are sown by division. A move with
//! relays makes at most as many rounds of the board as it banks seeds; no better bound is proven.
