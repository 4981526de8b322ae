/** The encoding that an HTML page or an XML document declares at its beginning, ignoring comments. */
export function declaredEncoding(bytes: Uint8Array): string | undefined {
  const head = Buffer.from(bytes.subarray(0, 4_096))
    .toString('latin1')
    .replace(/<!--[\s\S]*?(?:-->|$)/g, '')
  if (!/^\s*</.test(head)) return undefined
  return (
    /^\s*<\?xml[^>]*\bencoding\s*=\s*["']([\w.:-]+)/.exec(head)?.[1] ??
    /<meta[^>]*\bcharset\s*=\s*["']?([\w.:-]+)/i.exec(head)?.[1]
  )
}
