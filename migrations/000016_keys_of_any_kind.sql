-- Keys of adopted tables may be of any kind and of several columns (docs/decisions/0010-keys-of-any-kind.md). What refers to records
-- of any table (log of changes, journals, files, deliveries, documents) names them by the text of their sys_id.

-- ── a sys_id as a text ───────────────────────────────────────────────────────────────────────────────────────────────

-- The whole number, or null: no text may end a statement that reads rows of many. Not strict, so that PostgreSQL can put its body
-- in its place.
create function docket_system.whole_id(value text) returns bigint language sql immutable parallel safe as $$
  select case when value ~ '^[0-9]{1,18}$' then value::bigint end
$$;

-- In each of the ways in which PostgreSQL reads one, or null.
create function docket_system.uuid_id(value text) returns uuid language sql immutable parallel safe as $$
  select case when value ~* '^([0-9a-f]{4}-?){7}[0-9a-f]{4}$|^\{([0-9a-f]{4}-?){7}[0-9a-f]{4}\}$' then value::uuid end
$$;

-- A part of a sys_id that is made of parts, `10248~42`: without what sets parts, conditions and their values apart.
create function docket_system.print_key_part(value text) returns text language sql immutable parallel safe as $$
  select replace(replace(replace(replace(replace(value, '!', '!21'), '~', '!7E'), ',', '!2C'), '@', '!40'), '^', '!5E')
$$;

create function docket_system.key_part(sys_id text, n integer) returns text language sql immutable parallel safe as $$
  select replace(replace(replace(replace(replace(split_part(sys_id, '~', n), '!7E', '~'), '!2C', ','), '!40', '@'), '!5E', '^'), '!21', '!')
$$;

-- The same as a value of the type of `like_this`, or null where it is none. Stable, and not in SQL: PostgreSQL may compute what is
-- constant when it plans, and with it the error that this is to keep away.
create function docket_system.key_part(sys_id text, n integer, like_this anyelement) returns anyelement language plpgsql stable as $$
begin
  like_this := docket_system.key_part(sys_id, n);
  return like_this;
exception when data_exception or invalid_text_representation then
  return null;
end $$;

-- A text as a part of a path: everything but letters, digits and `-_.!~*'()` by its bytes, as encodeURIComponent does.
create function docket_system.path_part(value text) returns text language sql immutable parallel safe as $$
  select case when value ~ '^[A-Za-z0-9_.!~*''()-]*$' then value else
    (select string_agg(case when b.byte in (33, 39, 40, 41, 42, 45, 46, 95, 126) or b.byte between 48 and 57 or b.byte between 65 and 90
                               or b.byte between 97 and 122 then chr(b.byte) else '%' || upper(lpad(to_hex(b.byte), 2, '0')) end, '' order by b.n)
     from (select n, get_byte(convert_to(value, 'UTF8'), n) as byte from generate_series(0, octet_length(convert_to(value, 'UTF8')) - 1) as n) as b) end
$$;

-- ── what the dictionary says of keys ─────────────────────────────────────────────────────────────────────────────────

alter table docket.sys_db_table
  -- PostgreSQL's columns, in the order of the key.
  alter column adopted_key type text[] using case when adopted_key is not null then array[adopted_key] end,
  -- Their types as SQL writes them; tables that were adopted before have whole numbers.
  add column adopted_key_types text[];
update docket.sys_db_table set adopted_key_types = array['bigint'] where adopted_key is not null;

alter table docket.sys_db_column
  -- A reference by a foreign key of several columns: PostgreSQL's columns, in the order of the key that they lead to.
  add column storage_parts text[],
  -- A reference by a foreign key to a unique column that is not the key: that column.
  add column storage_target text;

-- ── records of any table ─────────────────────────────────────────────────────────────────────────────────────────────

insert into docket.sys_db_column_type (name, title, storage) values ('record_id', 'Record of any table', 'text');
update docket.sys_db_column c set column_type_id = (select y.sys_id from docket.sys_db_column_type y where y.name = 'record_id')
from docket.sys_db_table t
where t.sys_id = c.table_id and c.column_name = 'record_id'
  and t.name in ('sys_attachment', 'sys_journal_entry', 'sys_history', 'sys_record_deletion_log', 'sys_webhook_delivery');

alter table docket.sys_attachment alter column record_id type text collate "C" using record_id::text;
alter table docket.sys_journal_entry alter column record_id type text collate "C" using record_id::text;
alter table docket.sys_webhook_delivery alter column record_id type text collate "C" using record_id::text;
alter table docket_documents.document alter column record_id type text collate "C" using record_id::text;
alter table docket_documents.load alter column record_id type text collate "C" using record_id::text;

-- The views of the log stand again as they stood.
do $$
declare
  history text := pg_get_viewdef('docket.sys_history');
  deletions text := pg_get_viewdef('docket.sys_record_deletion_log');
begin
  drop view docket.sys_history;
  drop view docket.sys_record_deletion_log;
  alter table docket_system.change alter column record_id type text collate "C" using record_id::text;
  execute 'create view docket.sys_history as ' || history;
  execute 'create view docket.sys_record_deletion_log as ' || deletions;
end $$;
create trigger bring_history instead of insert on docket.sys_history for each row execute function docket_system.bring_history();

create or replace function docket_system.note_change(old_row jsonb, new_row jsonb, by_user bigint) returns void language sql volatile as $$
  insert into docket_system.change (operation, table_id, record_id, changed_by, changes, audited, deletion_logged)
  select case when old_row is null then 'c' when new_row is null then 'd' else 'u' end::"char", t.sys_id,
         coalesce(new_row, old_row) ->> t.key_column, by_user,
         case when old_row is null then n.stored when new_row is null then o.stored else differing.pairs end,
         t.is_audit, new_row is null and t.record_deletion_logging
  from docket.sys_db_table t
    cross join lateral (select docket_system.stored_values(t.sys_id, old_row) as stored) o
    cross join lateral (select docket_system.stored_values(t.sys_id, new_row) as stored) n
    cross join lateral (select coalesce(jsonb_object_agg(name, jsonb_build_array(o.stored -> name, n.stored -> name)), '{}') as pairs
      from jsonb_object_keys(o.stored || n.stored) as name
      where o.stored -> name is distinct from n.stored -> name and name not in ('sys_updated_at', 'sys_updated_by')) as differing
  where t.sys_id = (coalesce(new_row, old_row) ->> 'sys_db_table_id')::bigint
    and (old_row is null or new_row is null or differing.pairs <> '{}')
$$;
