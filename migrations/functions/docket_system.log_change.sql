-- Logs that a function or a script has created, changed or deleted a record; `old_row` and `new_row` are to_jsonb of the table's row.
CREATE OR REPLACE FUNCTION docket_system.log_change(old_row jsonb, new_row jsonb, by_user bigint)
 RETURNS void
 LANGUAGE sql
AS $function$
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
$function$;
