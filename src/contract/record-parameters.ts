import { z } from 'zod'

/** What a record request does. */
export type RecordOperation = 'list' | 'read' | 'create' | 'put' | 'patch' | 'delete' | 'stats'

interface RecordParameter {
  readonly operations: readonly RecordOperation[]
  readonly schema: z.ZodType
  readonly description: string
}

/** docs/spec/records.md, section 3. Pages beyond this are past every table that fits a disk, and offsets must stay within PostgreSQL's bigint. */
export const MAX_PAGE = 1_000_000_000
export const DEFAULT_LIMIT = 20
/** Without the properties `rest.limit.max` and `rest.count.max`. */
export const DEFAULT_MAX_ROWS = 10_000
export const DEFAULT_MAX_COUNTED = 10_000

const grouped = (number: number): string => number.toLocaleString('en')
const responding: readonly RecordOperation[] = ['list', 'read', 'create', 'put', 'patch']
const flag = z.enum(['0', '1', 'true', 'false']).default('0')

/**
 * The parameters of the Table API: docs/spec/records.md, section 3. An empty value
 * means "not given"; a parameter that is not listed here, or not for the operation, is ignored and named in the header X-Ignored-Parameters. On DELETE a
 * `sysparm_` parameter that is not listed is 400.
 */
export const RECORD_PARAMETERS: Readonly<Record<string, RecordParameter>> = {
  sysparm_query: {
    operations: ['list', 'read', 'stats'],
    schema: z.string().meta({ examples: ['active=true^priorityIN1@2^ORDERBYDESCopened_at'] }),
    description:
      'Encoded query: conditions joined by `^` (and), `^OR`, `^NQ`, with brackets, dot-walks and `ORDERBY`. Every operator is in ' +
      'docs/operators.md. On one record: it must match, else 404.',
  },
  sysparm_fields: {
    operations: responding,
    schema: z.string().meta({ examples: ['number,subject,assigned_user.email'] }),
    description:
      'Fields to return, separated by commas; field paths through references are allowed. Default: all columns.',
  },
  sysparm_view: {
    operations: responding,
    schema: z.string(),
    description:
      'Title of a form view: the response has its fields; with sysparm_fields only those in both. An unknown view is ignored, and X-Ignored-Parameters names sysparm_view.',
  },
  sysparm_display_value: {
    operations: [...responding, 'stats'],
    schema: z.enum(['0', '1', 'true', 'false', 'all']).default('0'),
    description:
      '`0`: stored values. `1`: display values in the caller’s language and time zone. `all`: both, each field an object.',
  },
  sysparm_input_display_value: {
    operations: ['create', 'put', 'patch'],
    schema: flag,
    description:
      '`1`: values of the body are display values: titles of choices, dates and times in the caller’s time zone, Yes and No, ' +
      'numbers with separators, durations (`2 d 3 h`), names of weekdays, links to files, JSON as a text, display values of references. ' +
      'A stored value is accepted too.',
  },
  sysparm_wysiwyg: {
    operations: responding,
    schema: z.enum(['json', 'elements']),
    description:
      '`json`: WYSIWYG texts are read and written as the JSON document of the editor, as the property wysiwyg.columns.rest_api_json_mode has it for all requests. ' +
      '`elements`: the same, and the document has each element that is stored, also those that editors of this JSON do not know.',
  },
  sysparm_rights: {
    operations: ['read'],
    schema: flag,
    description:
      '`1`: the response has `rights` beside `data`: `write`, the columns that the caller may write on this record; `delete`; `states`, to which ' +
      'the record may go now (null: no state model decides).',
  },
  sysparm_max_text: {
    operations: ['list'],
    schema: z.int().min(1).max(MAX_PAGE),
    description:
      'Longer texts and JSON values are shortened to this number of characters; shortened JSON is a text. The header X-Text-Cut names these fields.',
  },
  sysparm_exclude_reference_link: {
    operations: [...responding, 'stats'],
    schema: flag,
    description: '`1`: a reference is the plain sys_id (or display value) instead of an object with a link.',
  },
  sysparm_limit: {
    operations: ['list', 'stats'],
    schema: z.int().min(0).max(MAX_PAGE).default(DEFAULT_LIMIT),
    description:
      `Most records to return. \`0\`: as many as the server gives, ${grouped(DEFAULT_MAX_ROWS)} unless the property \`rest.limit.max\` says otherwise; ` +
      'above that the header X-Limit-Clamped tells how many it was.',
  },
  sysparm_page: {
    operations: ['list', 'stats'],
    schema: z.int().min(1).max(MAX_PAGE).default(1),
    description: 'Page of `sysparm_limit` records to return, from 1.',
  },
  sysparm_offset: {
    operations: ['list', 'stats'],
    schema: z.int().min(0).max(MAX_PAGE).default(0),
    description: 'Records to skip. Takes the place of `sysparm_page`; both together are 400.',
  },
  sysparm_cursor: {
    operations: ['list'],
    schema: z.string(),
    description:
      'The cursor in X-Next-Cursor or Link of the response before; `*` to begin. Costs the same at any depth, and ' +
      'neither repeats nor skips a record while others are written.',
  },
  sysparm_confirm: {
    operations: ['put', 'patch', 'delete'],
    schema: z.string().meta({ examples: ['project.budget'] }),
    description:
      'Of a change of the dictionary: the data that you agree to lose, as the error named them (`table` or `table.column`), with ' +
      'commas between them.',
  },
  sysparm_no_count: {
    operations: ['list'],
    schema: flag,
    description: '`1`: do not count the records; X-Total-Count is left out.',
  },
  sysparm_count: {
    operations: ['list'],
    schema: z.enum(['exact']),
    description:
      `\`exact\`: count all records, however many there are, which takes long on a large table. Without it, totals are exact up to ${grouped(DEFAULT_MAX_COUNTED)} ` +
      '(property `rest.count.max`); beyond that X-Total-Count-Over takes the place of X-Total-Count, and Link has no last page.',
  },
}

const term = 'count, sum(field), avg(field), min(field), max(field)'
const fields = (of: string): RecordParameter => ({
  operations: ['stats'],
  schema: z.string().meta({ examples: ['price'] }),
  description: `Fields whose ${of} is asked for, with commas between them; dot-walks through references are fine.`,
})

/** What GET /rest/v1/stats/{table} takes beside the parameters of a list: docs/spec/records.md, section 9; the names are our choice. */
export const STATS_ONLY_PARAMETERS: Readonly<Record<string, RecordParameter>> = {
  sysparm_group_by: {
    operations: ['stats'],
    schema: z.string().meta({ examples: ['state,assigned_user.company', 'opened_at:week'] }),
    description:
      'Fields that make a group, with commas between them; without it all records are one group. A date may have a unit: `:hour`, `:day`, `:week` (from Monday), `:month`, `:quarter`, `:year`, in the time zone of the caller. The group then has the start of the period (of a date and time, in UTC).',
  },
  sysparm_sum_fields: fields('sum'),
  sysparm_avg_fields: fields('mean'),
  sysparm_min_fields: fields('least value'),
  sysparm_max_fields: fields('greatest value'),
  sysparm_having: {
    operations: ['stats'],
    schema: z.string().meta({ examples: ['count>10^sum(price)>=100'] }),
    description: `Groups to keep: ${term}, a comparison and a value; several joined by \`^\`.`,
  },
  sysparm_order_by: {
    operations: ['stats'],
    schema: z.string().meta({ examples: ['-count,state'] }),
    description: `Order of the groups: fields of sysparm_group_by, ${term}; a minus turns it round. Default: by the group fields.`,
  },
}
