/** Where a new record of a list is made: what a link and a key lead to. */
export interface NewRecord {
  readonly to: '/t/$table/$sysId'
  readonly params: { readonly table: string; readonly sysId: 'new' }
  readonly search: { readonly set?: string | undefined }
}

/** @param set values that it begins with, as an encoded query */
export const newRecordOf = (table: string, set?: string): NewRecord => ({
  to: '/t/$table/$sysId',
  params: { table, sysId: 'new' },
  search: { set },
})
