import { expect, test } from 'vitest'
import { errorKindOf } from './database-error-kind.ts'

const error = (message: string, more: object = {}): Error => Object.assign(new Error(message), more)

test.each([
  [error('connect ECONNREFUSED', { code: 'ECONNREFUSED', syscall: 'connect' }), 'unreachable'],
  [error('connect ENOENT /tmp/.s.PGSQL.5432', { code: 'ENOENT', syscall: 'connect' }), 'unreachable'],
  [error('read ECONNRESET', { code: 'ECONNRESET', syscall: 'read' }), 'unreachable'],
  [error('getaddrinfo ENOTFOUND db', { code: 'ENOTFOUND', syscall: 'getaddrinfo' }), 'unreachable'],
  [
    new AggregateError([error('connect ECONNREFUSED ::1', { code: 'ECONNREFUSED', syscall: 'connect' })]),
    'unreachable',
  ],
  [error('the database system is starting up', { code: '57P03' }), 'unreachable'],
  [error('database "docket" is not currently accepting connections', { code: '55000' }), 'unreachable'],
  [error('connection failure', { code: '08006' }), 'unreachable'],
  [error('Connection terminated unexpectedly'), 'unreachable'],
  [error('Client has encountered a connection error and is not queryable'), 'unreachable'],
  [error('sorry, too many clients already', { code: '53300' }), 'busy'],
  [error('deadlock detected', { code: '40P01' }), 'busy'],
  [error('timeout exceeded when trying to connect'), 'busy'],
  [error('canceling statement due to statement timeout', { code: '57014' }), 'timeout'],
  [error('syntax error', { code: '42601' }), null],
  [error('ENOENT: no such file', { code: 'ENOENT', syscall: 'open' }), null],
  [error('x is not a function'), null],
  ['thrown text', null],
  [undefined, null],
])('%s is %s', (thrown, error) => {
  expect(errorKindOf(thrown)).toBe(error)
})
