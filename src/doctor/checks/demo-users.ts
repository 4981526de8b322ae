import { findPublicPasswords } from '../../demo/public-passwords.ts'
import { isBeyondLoopback } from '../../start/network-exposure.ts'
import { type Check, type DatabaseGround, listNames } from '../check.ts'

/** Published passwords where other machines can sign in with them. */
export const checkDemoUsers: Check<DatabaseGround> = {
  name: 'demo users',
  async run({ database, settings }) {
    const names = await findPublicPasswords(database)
    if (names.length === 0) return { summary: 'no user has a published password', findings: [] }
    if (!(await isBeyondLoopback(settings.host)))
      return { summary: `${names.length}, which only this machine can reach`, findings: [] }
    if (settings.demo === 'on') return { summary: `${names.length}, served because DOCKET_DEMO is on`, findings: [] }
    const what = `Users with published passwords can be reached from other machines (DOCKET_HOST is ${settings.host})`
    const cure = 'docket demo remove, or DOCKET_DEMO=on to serve them all the same'
    return { summary: '', findings: [{ fault: 'demo-users-exposed', what, where: listNames(names), cure }] }
  },
}
