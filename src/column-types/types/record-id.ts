import type { ColumnType } from '../column-type.ts'
import { textType } from '../text-type.ts'

/** The sys_id of a record of any table, as a text; another column names the table. */
export const record_id: ColumnType = { ...textType('Record of any table'), compare: 'key' }
