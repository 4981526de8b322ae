import type { Session } from '../../database/database.ts'
import { sql } from '../../kernel/sql.ts'
import { ownSchemas } from './schema-statement.ts'

/**
 * Names of all objects in Docket's schemas that describeSchema does not describe. Docket creates none; somebody may have created some with
 * psql. It reads pg_depend, which has every object of a schema of any kind, so that unexpected kinds are found too.
 */
export async function listUncovered(session: Pick<Session, 'rows'>): Promise<readonly string[]> {
  const rows = await session.rows(sql<{ name: string }>`
    with own as (select oid from pg_namespace where nspname = any (${ownSchemas}::text[])),
    held as (
      select d.classid, d.objid from pg_depend d where d.refclassid = 'pg_namespace'::regclass and d.refobjid in (select oid from own)),
    uncovered as (
      select h.classid, h.objid from held h
        left join pg_class c on h.classid = 'pg_class'::regclass and c.oid = h.objid
        left join pg_proc p on h.classid = 'pg_proc'::regclass and p.oid = h.objid
        left join pg_type t on h.classid = 'pg_type'::regclass and t.oid = h.objid
      where not coalesce(case h.classid
        when 'pg_class'::regclass then c.relkind in ('r', 'v', 'S', 'i') and not c.relispartition
        when 'pg_proc'::regclass then p.prokind in ('f', 'p')
        when 'pg_type'::regclass then exists (select from pg_class r where r.oid = t.typrelid and r.relkind <> 'c')
        when 'pg_collation'::regclass then true
        when 'pg_statistic_ext'::regclass then true
        when 'pg_constraint'::regclass then true
        else false end, false)
      union
      select d.classid, d.objid from pg_depend d join pg_class c on c.oid = d.refobjid and d.refclassid = 'pg_class'::regclass
      where c.relnamespace in (select oid from own) and d.classid in ('pg_policy'::regclass, 'pg_publication_rel'::regclass)
      union
      select 'pg_rewrite'::regclass, r.oid from pg_rewrite r join pg_class c on c.oid = r.ev_class
      where c.relnamespace in (select oid from own) and r.rulename <> '_RETURN'
      union
      select 'pg_class'::regclass, i.inhrelid from pg_inherits i join pg_class c on c.oid = i.inhrelid
      where c.relnamespace in (select oid from own))
    select distinct pg_describe_object(u.classid, u.objid, 0) as name from uncovered u
    where not exists (select from pg_depend d where d.classid = u.classid and d.objid = u.objid and d.deptype = 'i'
      and u.classid = 'pg_type'::regclass) order by 1`)
  return rows.map(({ name }) => name)
}
