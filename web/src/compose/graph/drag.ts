/** What is dragged over the graph: a new phase of a kind, a phase to be moved, or a line from one. */
export type Dragged = { kind: string } | { index: number } | { from: string };

export const isPhase = (dragged: Dragged | null) => dragged !== null && !("from" in dragged);
