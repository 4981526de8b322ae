import { randomBytes } from 'node:crypto'
import { chownSync, existsSync, renameSync, statSync, writeFileSync } from 'node:fs'
import pg from 'pg'
import { bootstrapUser, type Cluster, clusterDatabase, clusterUser } from './cluster.ts'
import { type ClusterAddress, type ClusterLogin, loginString, readPassword } from './cluster-address.ts'

/** URL-safe, so that it needs no escaping in a connection string and in SQL. */
export function makeRolePassword(): string {
  return randomBytes(24).toString('base64url')
}

/**
 * Logins of the superuser, the usual one first. In a cluster of an older Docket, and in one whose change was interrupted, the superuser
 * still has the name of Docket's role.
 */
export function superuserLogins(cluster: Cluster): readonly ClusterLogin[] {
  if (!existsSync(cluster.bootstrapPasswordFile))
    return [{ user: clusterUser, password: readPassword(cluster.passwordFile) }]
  const password = readPassword(cluster.bootstrapPasswordFile)
  return [bootstrapUser, clusterUser].map((user) => ({ user, password }))
}

/**
 * Makes sure that Docket's role exists, is no superuser, and owns its database, which is created if it is missing.
 *
 * @param superuser in the database `postgres`
 */
export async function prepareRoles(cluster: Cluster, address: ClusterAddress, superuser: pg.Client): Promise<void> {
  const { rows } = await superuser.query<{ readonly user: string }>('select session_user as user')
  if (rows[0]?.user === clusterUser) await moveSuperuser(cluster, address, superuser)
  await superuser.query(`drop role if exists ${moverRole}`)
  if (!(await exists(superuser, 'select from pg_roles where rolname = $1', clusterUser)))
    await superuser.query(createWorkingRole(readPassword(cluster.passwordFile)))
  if (!(await exists(superuser, 'select from pg_database where datname = $1', clusterDatabase)))
    await superuser.query(`create database ${clusterDatabase} owner ${clusterUser}`)
}

const createWorkingRole = (password: string): string =>
  `create role ${clusterUser} login nosuperuser nocreatedb nocreaterole password '${password}'`

async function exists(client: pg.Client, text: string, name: string): Promise<boolean> {
  return (await client.query(text, [name])).rows.length > 0
}

/** Exists only during the change: a role cannot rename itself. */
const moverRole = 'docket_mover'

/**
 * Renames the superuser `docket` of an older cluster to `docket_bootstrap`, and creates a role `docket` that owns everything that is not
 * PostgreSQL's own. One transaction; the password files are written before it, so that after an interruption the next start finds the
 * superuser under one of the names and repeats the change. The role is renamed because PostgreSQL's first role must stay a superuser.
 */
async function moveSuperuser(cluster: Cluster, address: ClusterAddress, superuser: pg.Client): Promise<void> {
  if (!existsSync(cluster.bootstrapPasswordFile))
    writeWhole(cluster, cluster.bootstrapPasswordFile, readPassword(cluster.passwordFile))
  const password = makeRolePassword()
  writeWhole(cluster, cluster.passwordFile, password)
  const login = { user: moverRole, password: makeRolePassword() }
  await superuser.query(`drop role if exists ${moverRole}`)
  await superuser.query(`create role ${moverRole} superuser login password '${login.password}'`)
  const hasDatabase = await exists(superuser, 'select from pg_database where datname = $1', clusterDatabase)
  const mover = new pg.Client({
    connectionString: loginString(address, hasDatabase ? clusterDatabase : 'postgres', login),
  })
  await mover.connect()
  try {
    await mover.query('begin')
    await mover.query(`alter role ${clusterUser} rename to ${bootstrapUser}`)
    await mover.query(createWorkingRole(password))
    if (hasDatabase) await mover.query(giveDatabase)
    await mover.query('commit')
  } finally {
    await mover.end()
  }
}

/** All objects in the database that users created, except those of extensions and those that follow their table. */
const giveDatabase = `
do $$
declare
  thing record;
begin
  execute 'alter database ${clusterDatabase} owner to ${clusterUser}';
  for thing in
    select replace(i.type, 'statistics object', 'statistics') as type, i.identity from (
      select 'pg_namespace'::regclass as classid, oid from pg_namespace where nspowner = 10
      union all select 'pg_class'::regclass, oid from pg_class where relowner = 10 and relkind in ('r', 'p', 'v', 'm', 'f', 'S')
      union all select 'pg_proc'::regclass, oid from pg_proc where proowner = 10
      union all select 'pg_type'::regclass, t.oid from pg_type t left join pg_class c on c.oid = t.typrelid
        where t.typowner = 10 and t.typelem = 0 and t.typtype <> 'm' and (t.typrelid = 0 or c.relkind = 'c')
      union all select 'pg_statistic_ext'::regclass, oid from pg_statistic_ext where stxowner = 10
      union all select 'pg_collation'::regclass, oid from pg_collation where collowner = 10
      union all select 'pg_ts_config'::regclass, oid from pg_ts_config where cfgowner = 10
      union all select 'pg_ts_dict'::regclass, oid from pg_ts_dict where dictowner = 10
      union all select 'pg_operator'::regclass, oid from pg_operator where oprowner = 10
      union all select 'pg_opclass'::regclass, oid from pg_opclass where opcowner = 10
      union all select 'pg_opfamily'::regclass, oid from pg_opfamily where opfowner = 10
    ) as o
    cross join lateral pg_identify_object(o.classid, o.oid, 0) as i
    where o.oid >= 16384
      and not exists (select from pg_depend d where d.classid = o.classid and d.objid = o.oid and d.deptype = 'e')
      and not (i.type = 'sequence' and exists (
        select from pg_depend d where d.classid = o.classid and d.objid = o.oid and d.refclassid = o.classid and d.deptype in ('a', 'i')))
  loop
    execute format('alter %s %s owner to ${clusterUser}', thing.type, thing.identity);
  end loop;
end $$`

/** Durable and atomic; owned by the owner of the cluster. */
function writeWhole(cluster: Cluster, path: string, text: string): void {
  const aside = `${path}.new`
  writeFileSync(aside, text, { mode: 0o600, flush: true })
  const { uid, gid } = statSync(cluster.directory)
  chownSync(aside, uid, gid)
  renameSync(aside, path)
}
