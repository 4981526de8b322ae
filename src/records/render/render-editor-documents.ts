import { columnTypeOf } from '../../column-types/column-types.ts'
import type { DocumentDetail } from '../../column-types/editor/editor-node.ts'
import { toEditorDocument } from '../../column-types/editor/to-editor-document.ts'
import { parseWithNumbersAsWritten } from '../../kernel/exact-json.ts'
import type { RecordPlan } from '../plan/record-plan.ts'

/**
 * Keys of the response whose texts are returned as editor documents: those of columns that a property lists, so usually none.
 *
 * @param isEach all WYSIWYG texts are returned as documents, because the request says so
 */
export function documentKeys(plan: RecordPlan, isEach: boolean): readonly string[] {
  const known = isEach ? keysOfEach : keysOfNamed
  const before = known.get(plan)
  if (before !== undefined) return before
  const keys = findDocumentKeys(plan, isEach)
  known.set(plan, keys)
  return keys
}

const keysOfEach = new WeakMap<RecordPlan, readonly string[]>()
const keysOfNamed = new WeakMap<RecordPlan, readonly string[]>()

function findDocumentKeys(plan: RecordPlan, isEach: boolean): readonly string[] {
  // A display value is the same text in both modes (docs/spec/records.md, section 4).
  if (plan.display === 'display') return []
  return plan.fields
    .filter(({ fieldPath: { column } }) => {
      const { editor } = columnTypeOf(column).write
      return (column.readAsDocument && editor !== undefined) || (isEach && editor === 'html')
    })
    .map((field) => field.key)
}

/** @param records JSON text of an array of records from PostgreSQL; numbers keep their text */
export function renderEditorDocuments(records: string, keys: readonly string[], detail: DocumentDetail): string {
  const parsed = parseWithNumbersAsWritten(records) as Record<string, unknown>[]
  return JSON.stringify(
    parsed.map((record) => ({
      ...record,
      ...Object.fromEntries(
        keys.filter((key) => key in record).map((key) => [key, renderEditorDocument(record[key], detail)]),
      ),
    })),
  )
}

function renderEditorDocument(value: unknown, detail: DocumentDetail): unknown {
  if (typeof value === 'string') return toEditorDocument(value, detail)
  const isBoth = typeof value === 'object' && value !== null && 'value' in value
  return isBoth && typeof value.value === 'string' ? { ...value, value: toEditorDocument(value.value, detail) } : value
}
