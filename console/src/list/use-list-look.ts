import { reportUnstored, usePreference } from '../preferences.ts'
import type { ListLook } from './saved-filters.ts'

/** Columns and widths that the user keeps for the lists of a table. A change of one keeps the other, also before they are known. */
export function useListLook(table: string) {
  const { value, change } = usePreference<ListLook>(`list.${table}`)
  return {
    columns: value?.columns,
    widths: value?.widths ?? {},
    storeColumns: (columns: ListLook['columns']) =>
      void change((stored) => ({ ...stored, columns })).catch(reportUnstored),
    storeWidth: (path: string, px: number) =>
      void change((stored) => ({ ...stored, widths: { ...stored?.widths, [path]: px } })).catch(reportUnstored),
  }
}
