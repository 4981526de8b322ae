import { prefix } from '../facts.ts'

/** What this page does with a file, beside a link to it. */
type FileKind = 'picture' | 'text' | 'other'

const pictures = /^image\/(?:png|jpeg|gif|webp)$/
/** Formats that are written as text, also those with markup: the server sends them as plain text. */
const texts = /^(?:text\/.*|message\/rfc822|image\/svg\+xml|application\/(?:json|x-ndjson|xml|yaml))$/

/** @param mediaType as the server has detected it. Whether a browser displays the file is decided by its bytes (`inline=1`) */
export function fileKindOf(mediaType: string): FileKind {
  if (pictures.test(mediaType)) return 'picture'
  return texts.test(mediaType) ? 'text' : 'other'
}

export const fileAddress = (sysId: string): string => `${prefix}/v1/attachments/${sysId}/file`

/** For a tab of its own. What a browser cannot display without risk is a download. */
export const displayAddress = (sysId: string): string => `${fileAddress(sysId)}?inline=1`
