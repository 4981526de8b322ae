export { type ConnectOptions, connect, type Docket, type Session } from './connect.ts'
export {
  Aborted,
  AccessDenied,
  ConflictError,
  type CurrentRecord,
  DocketError,
  type ErrorDetail,
  errorOf,
  InvalidValue,
  NetworkError,
  NotFound,
  RateLimited,
  Unauthenticated,
  Unavailable,
} from './errors.ts'
export type { Change, DocketEvent, EventOptions } from './events.ts'
export type { CallOptions, HttpRequest, Send } from './http.ts'
export { asInstant, fromInstant } from './instants.ts'
export type { ColumnMeta, Right, TableMeta, TableSummary } from './meta.ts'
export {
  all,
  any,
  type ConditionTree,
  condition,
  type EncodedQuery,
  type Operator,
  printEncodedQuery,
} from './query.ts'
export {
  Helper,
  helper,
  type ParsedQuery,
  QueryBuilder,
  type QueryValue,
  q,
  type RawQuery,
} from './query-builder.ts'
export { randomKey } from './random-key.ts'
export type { RecordList } from './record-list.ts'
export type {
  Cell,
  CellRow,
  ExplainOptions,
  Explanation,
  ExportOptions,
  HistoryEntry,
  Page,
  PageOptions,
  Query,
  ReadOptions,
  ReadRecord,
  StatsOptions,
  StatsRow,
  UpdateOptions,
  WriteOptions,
} from './record-options.ts'
export type { TableClient } from './records.ts'
export type {
  AnyTables,
  Clear,
  ColumnsOf,
  CreateOf,
  Display,
  FieldValue,
  Find,
  JournalEntry,
  List,
  ListChange,
  NumberChange,
  NumberValue,
  Reference,
  ReferenceChange,
  Row,
  RowOf,
  SysId,
  Tables,
  TableTypes,
  TextChange,
  UpdateOf,
  Value,
  ValueChange,
} from './table-types.ts'
