import type { StateModel } from './catalog.ts'
import type { TransitionRow } from './dictionary-rows.ts'

/** In place of a target state: the state that the record was in before. */
export const PREVIOUS_STATE = '<previous>'

export function buildStateModels(rows: readonly TransitionRow[]): ReadonlyMap<string, readonly StateModel[]> {
  const models = [...Map.groupBy(rows, (row) => row.id).values()].flatMap((moves): readonly StateModel[] => {
    const [first] = moves
    if (first === undefined) return []
    const made = moves.flatMap(({ from, to, is_final }) =>
      from === null || to === null ? [] : [{ from, to, isFinal: is_final === true }],
    )
    return [
      {
        table: first.table,
        condition: first.condition,
        transitions: made.map(({ from, to }) => ({ from, to: to === PREVIOUS_STATE ? null : to })),
        finals: [...new Set(made.filter(({ isFinal }) => isFinal).map(({ to }) => to))],
      },
    ]
  })
  return Map.groupBy(models, (model) => model.table)
}
