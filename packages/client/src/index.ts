export { type ConnectOptions, connect, type Docket, type Session, type Tables } from './connect.ts'
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
export {
  all,
  any,
  type ConditionTree,
  condition,
  type EncodedQuery,
  type Operator,
  printEncodedQuery,
} from './query.ts'
export { randomKey } from './random-key.ts'
export type {
  Cell,
  CellRow,
  HistoryEntry,
  Page,
  PageOptions,
  Query,
  ReadOptions,
  ReadRecord,
  Row,
  StatsOptions,
  StatsRow,
  TableClient,
  UpdateOptions,
} from './records.ts'
