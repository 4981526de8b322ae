import type { Column } from '../../catalog/catalog.ts'
import type { RecordKey } from '../../column-types/record-key.ts'
import { type JsonObject, schemaRef } from '../../http/openapi/json-schema.ts'
import { isName } from '../../records/plan/plan-find.ts'
import { anyOf, oneMember, valueObject } from './body-schemas.ts'
import { DISPLAY_VALUE, inBoth } from './column-schemas.ts'

/** A table that columns refer to. */
export interface Target {
  readonly name: string
  readonly key: RecordKey | null
  /** The columns that the caller may read; none if they may not read the table. */
  readonly columns: readonly Column[]
}

const SCALAR: JsonObject = { type: ['string', 'number', 'boolean'] }

/** How records of the table are named: in responses by `reference` and `both`, in bodies by `named`. */
export function targetSchemas({ name, key, columns }: Target): Readonly<Record<string, JsonObject>> {
  const sysId = schemaRef(`${name}.sys_id`)
  return {
    [`${name}.sys_id`]: { description: `sys_id of a record of ${name}.`, ...keySchema(key) },
    [`${name}.reference`]: reference(name, sysId, { link: LINK }),
    [`${name}.both`]: inBoth(
      `A reference to ${name} with sysparm_display_value=all.`,
      { anyOf: [sysId, { type: 'null' }] },
      { link: { ...LINK, type: ['string', 'null'] } },
    ),
    [`${name}.find`]: {
      type: 'object',
      description: `Columns of ${name}, dot-walks included, with values that exactly one record has.`,
      minProperties: 1,
      properties: Object.fromEntries(
        columns.filter(isName).map((column) => [column.name, { description: `Value of ${column.name}.`, ...SCALAR }]),
      ),
      additionalProperties: SCALAR,
    },
    [`${name}.named`]: anyOf(
      `A record of ${name} in a body: its sys_id, the object that a read returns, or a find.`,
      sysId,
      valueObject({ anyOf: [sysId, { type: 'null' }] }),
      oneMember('The one record with these values.', 'find', schemaRef(`${name}.find`)),
    ),
  }
}

const LINK: JsonObject = { type: 'string', description: 'Address of the record.' }

function reference(name: string, sysId: JsonObject, more: JsonObject): JsonObject {
  return {
    type: 'object',
    description: `A reference to ${name}, unless sysparm_exclude_reference_link=1.`,
    required: ['value', ...Object.keys(more)],
    properties: {
      value: { description: 'sys_id of the record.', ...sysId },
      ...more,
      display_value: { description: `With sysparm_display_value=1. ${DISPLAY_VALUE}`, type: ['string', 'null'] },
    },
  }
}

/** References of columns whose table the dictionary does not name: they have no link. */
export const UNTARGETED_SCHEMAS: Readonly<Record<string, JsonObject>> = {
  Reference: reference('a record', { type: 'string' }, {}),
}

function keySchema(key: RecordKey | null): JsonObject {
  if (key?.kind === 'whole') return { type: 'string', pattern: '^-?\\d+$' }
  return key?.kind === 'uuid' ? { type: 'string', format: 'uuid' } : { type: 'string' }
}
