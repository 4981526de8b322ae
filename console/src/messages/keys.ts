import type { en } from './en.ts'

export type MessageKey = keyof typeof en
/** Says a message in the language of the user. */
export type Say = (key: MessageKey, values?: Readonly<Record<string, unknown>>) => string
