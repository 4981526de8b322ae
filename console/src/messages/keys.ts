import type { en } from './en.ts'

export type MessageKey = keyof typeof en
/** Translates a message into the user's language. */
export type Translate = (key: MessageKey, values?: Readonly<Record<string, unknown>>) => string
