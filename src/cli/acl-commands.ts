import type { Command } from 'commander'
import { findTablesWithoutRules } from '../catalog/find-tables-without-rules.ts'
import { loadCatalog } from '../catalog/load-catalog.ts'
import { isSystemName } from '../catalog/system-tables.ts'
import { withDatabase } from './with-database.ts'

/** `docket acl …` */
export function registerAclCommands(program: Command): void {
  program
    .command('acl')
    .description('check the access rules')
    .command('check')
    .description('list tables without rules; exit code 1 if there are any')
    .option('--json', 'as JSON, for programs')
    .action(async ({ json }: { readonly json?: true }) => {
      // Users of this command must not write rules of Docket's own tables (`sys_…`).
      const found = findTablesWithoutRules(await withDatabase(loadCatalog)).filter(({ table }) => !isSystemName(table))
      if (json) console.log(JSON.stringify(found, undefined, 2))
      else if (found.length === 0) console.log('Every table has rules.')
      else {
        for (const { table, operations } of found) console.log(`${table}: no rule for ${operations.join(', ')}`)
        console.log('Only administrators can do this. Add rules to sys_security_acl, or leave it so.')
      }
      if (found.length > 0) process.exitCode = 1
    })
}
