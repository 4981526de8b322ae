import type { ColumnTypeName } from '../column-types/column-types.ts'
import { sql } from '../kernel/sql.ts'
import type { AccessRule, OnDelete } from './catalog.ts'
import { IS_RECORD_CLASS, VALUE_TYPE } from './value-type.ts'

export interface NameValue {
  readonly name: string
  readonly value: string
}

export interface TableRow {
  readonly id: string
  readonly name: string
  readonly title_en: string
  readonly title_ru: string | null
  readonly parent_id: string | null
  readonly storage_schema: string
  readonly storage_table: string
  readonly key_column: string
  readonly adopted_key: readonly string[] | null
  readonly adopted_key_types: readonly string[] | null
  readonly adopted_key_given: boolean
  readonly adopted_read_only: boolean
  readonly queued_create: boolean
  readonly is_extendable: boolean
  readonly is_audit: boolean
  readonly logs_deletions: boolean
  readonly numbering_id: string | null
  readonly prefix: string | null
  readonly digits: number | null
  readonly index_keys: readonly (readonly string[])[]
  readonly update_order: string | null
  readonly text_indexes: readonly TextIndexRow[]
}

/** Names of columns. */
export interface TextIndexRow {
  readonly of: 'parts' | 'words'
  readonly texts: readonly string[]
  readonly references: readonly string[]
}

export interface ColumnRow {
  readonly id: string
  readonly table_id: string
  readonly name: string
  readonly title_en: string
  readonly title_ru: string | null
  readonly type: ColumnTypeName
  readonly is_record_class: boolean
  readonly reference: string | null
  readonly read_only: boolean
  readonly mandatory: boolean
  readonly unique: boolean
  readonly full_text_search: boolean
  readonly display_by_ref: boolean
  readonly on_delete: OnDelete | null
  readonly max_length: number | null
  readonly default_value: string | null
  readonly storage_column: string | null
  readonly storage_cast: string | null
  readonly storage_parts: readonly string[] | null
  readonly storage_target: string | null
  readonly dependent_on: string | null
  readonly never_null: boolean
  readonly values_indexed: boolean
  readonly computed_indexed: boolean
  readonly parts_indexed: boolean
  readonly folded_indexed: boolean
}

export interface ChoiceRow {
  readonly table_id: string
  readonly column_id: string
  readonly value: string
  readonly dependent_value: string | null
  readonly en: string | null
  readonly ru: string | null
}

export interface AliasRow {
  readonly of_table: string
  readonly alias: string
  readonly id: string
}

export interface WellKnownIdRow {
  /** The root of a hierarchy. */
  readonly of_table: string
  readonly sys_id: string
  readonly id: string
}

export interface TransitionRow {
  readonly id: string
  readonly table: string
  readonly condition: string
  readonly from: string | null
  readonly to: string | null
  readonly is_final: boolean | null
}

export interface ViewRow {
  readonly id: string
  readonly title: string
  readonly table: string
  readonly user_id: string | null
  readonly section_id: string
  readonly section_title_en: string
  readonly section_title_ru: string | null
  readonly column_name: string
}

export interface RelatedListRow {
  readonly form_id: string
  readonly table: string
  readonly column: string
  readonly title: string
}

const translation = (table: string, alias: string) => sql`
  (select x.value from docket.sys_translated_text x
     join docket.sys_db_column xc on xc.sys_id = x.column_id and xc.column_name = 'title'
     join docket.sys_db_table xt on xt.sys_id = xc.table_id and xt.name = ${table}
   where x.record_id = ${sql.ref(`${alias}.sys_id`)} and x.language = 'ru')`

export const TABLE_ROWS = sql<TableRow>`
  select t.sys_id::text as id, t.name, t.title as title_en, ${translation('sys_db_table', 't')} as title_ru,
         t.parent_id::text as parent_id, t.storage_schema, t.storage_table, t.key_column, t.adopted_key, t.adopted_key_types, t.adopted_key_given, t.adopted_read_only, t.queued_create,
         t.is_extendable, t.is_audit, t.record_deletion_logging as logs_deletions, n.sys_id::text as numbering_id, n.prefix, n.digits,
         coalesce(x.index_keys, '[]') as index_keys, o.table_id::text as update_order,
         coalesce((select json_agg(json_build_object('of', case i.purpose when 'search' then 'words' else 'parts' end,
                     'texts', i.column_names, 'references', i.included_columns) order by i.sys_id)
           from docket.sys_db_index i where i.table_id = t.sys_id and i.state = 'ready' and i.purpose in ('contains', 'search')
             and cardinality(i.included_columns) > 0), '[]') as text_indexes
  from docket.sys_db_table t left join docket.sys_number n on n.table_id = t.sys_id
  left join docket_system.update_order o on t.storage_schema = 'docket' and o.storage_table = t.storage_table and o.ready
  left join lateral (
    select json_agg((select json_agg(a.attname order by key.place) from unnest((i.indkey::int2[])[0:i.indnkeyatts - 1]) with ordinality as key (number, place)
                     join pg_attribute a on a.attrelid = i.indrelid and a.attnum = key.number)) as index_keys
    from pg_namespace s join pg_class k on k.relnamespace = s.oid join pg_index i on i.indrelid = k.oid
    where s.nspname = t.storage_schema and k.relname = t.storage_table and i.indisvalid and i.indexprs is null and i.indpred is null) as x on true
  order by t.sys_id`

/** @param tables whose columns are read; null: all */
export const columnRowsOf = (tables: readonly string[] | null) => sql<ColumnRow>`
  select c.sys_id::text as id, c.table_id::text as table_id, c.column_name as name, c.title as title_en,
         ${translation('sys_db_column', 'c')} as title_ru, ${VALUE_TYPE} as type, ${IS_RECORD_CLASS} as is_record_class, r.name as reference,
         c.read_only, c.mandatory, c."unique", c.full_text_search, c.display_by_ref, c.on_delete, c.max_length, c.default_value,
         c.storage_column, c.storage_cast, c.storage_parts, c.storage_target, nullif(c.dependent_on, '') as dependent_on, coalesce(a.attnotnull, false) as never_null,
         exists (select from pg_index i where i.indrelid = k.oid and a.attnum = any ((i.indkey::int2[])[0:i.indnkeyatts - 1])) as values_indexed,
         x.computed_indexed, x.parts_indexed, x.folded_indexed
  from docket.sys_db_column c
  join docket.sys_db_column_type y on y.sys_id = c.column_type_id
  join docket.sys_db_table t on t.sys_id = c.table_id
  left join docket.sys_db_table r on r.sys_id = c.reference_id
  left join pg_namespace ns on ns.nspname = t.storage_schema
  left join pg_class k on k.relnamespace = ns.oid and k.relname = t.storage_table
  left join pg_attribute a on a.attrelid = k.oid and a.attname = c.storage_column and not a.attisdropped
  cross join lateral (
    select count(*) > 0 as computed_indexed,
           coalesce(bool_or(exists (select from pg_opclass o where o.oid = any (i.indclass) and o.opcname = 'gin_trgm_ops')), false) as parts_indexed,
           coalesce(bool_or(m.amname = 'btree'), false) as folded_indexed
    from pg_index i join pg_depend d on d.classid = 'pg_class'::regclass and d.objid = i.indexrelid
      join pg_class n on n.oid = i.indexrelid join pg_am m on m.oid = n.relam
    where i.indrelid = k.oid and i.indexprs is not null and d.refobjid = k.oid and d.refobjsubid = a.attnum
      -- A reference beside texts (catalog/indexed-references.ts).
      and not (m.amname = 'gin' and a.atttypid = 'bigint'::regtype)) as x
  where c.active and (${tables}::bigint[] is null or c.table_id = any (${tables}::bigint[]))
  order by c.sys_id`

export const ALIAS_ROWS = sql<AliasRow>`
  select of_table, alias::text as alias, record_id::text as id from docket_system.id_alias`

export const WELL_KNOWN_ID_ROWS = sql<WellKnownIdRow>`
  select of_table, sys_id::text as sys_id, id from docket_system.well_known_id order by sys_id`

export const PROPERTY_ROWS = sql<NameValue>`select name, coalesce(value, '') as value from docket.sys_property`

export const OPTION_ROWS = sql<NameValue>`
  select sys_id::text as name, value from docket.sys_dynamic_option where active`

export const ROLE_ROWS = sql<NameValue>`select sys_id::text as name, name as value from docket.sys_role`

export const CHOICE_ROWS = sql<ChoiceRow>`
  select table_id::text as table_id, column_id::text as column_id, value, nullif(dependent_value, '') as dependent_value,
         max(title) filter (where language = 'en') as en, max(title) filter (where language = 'ru') as ru
  from docket.sys_choice where active
  group by table_id, column_id, value, nullif(dependent_value, '')
  order by table_id, column_id, min("order"), value`

export const VIEW_ROWS = sql<ViewRow>`
  select f.sys_id::text as id, f.title, t.name as table, f.user_id::text as user_id, s.sys_id::text as section_id,
         coalesce(s.title, '') as section_title_en, ${translation('sys_ui_form_section', 's')} as section_title_ru, e.column_name
  from docket.sys_ui_form f
  join docket.sys_db_table t on t.sys_id = f.table_id
  join docket.sys_ui_form_section s on s.form_id = f.sys_id
  join docket.sys_ui_form_element e on e.section_id = s.sys_id
  where f.active
  order by f.sys_id, s."order", s.sys_id, e."order", e.sys_id`

export const RELATED_LIST_ROWS = sql<RelatedListRow>`
  select l.form_id::text as form_id, t.name as table, l.column_name as column, coalesce(l.title, '') as title
  from docket.sys_ui_related_list l join docket.sys_db_table t on t.sys_id = l.table_id
  order by l.form_id, l."order", l.sys_id`

export const TRANSITION_ROWS = sql<TransitionRow>`
  select m.sys_id::text as id, t.name as table, coalesce(m.condition, '') as condition, x.from_state as from, x.to_state as to, x.is_final
  from docket.sys_state_model m
  join docket.sys_db_table t on t.sys_id = m.table_id
  left join docket.sys_state_transition x on x.state_model_id = m.sys_id
  where m.active
  order by m.sys_id, x.sys_id`

// A deleted role in a rule counts as a role that nobody has: the rule must not apply to everyone.
export const RULE_ROWS = sql<AccessRule>`
  select a.sys_id::text as id, a.operation, a.table_name as table, nullif(a.column_name, '') as column,
         coalesce(array(select coalesce(r.name, 'no such role ' || held) from unnest(a.roles) with ordinality as u (held, n)
                        left join docket.sys_role r on r.sys_id::text = held order by n)::text[], '{}') as roles,
         coalesce(a.condition, '') as condition, coalesce(a.admin_overrides, false) as "adminOverrides",
         coalesce(a.description, '') as description
  from docket.sys_security_acl a where a.active
  order by a.sys_id`
