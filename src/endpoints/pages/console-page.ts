import { html } from '../../http/response/html.ts'

/** Facts that the page passes to its script. Everybody who can reach the server may read them. */
export interface ConsoleFacts {
  /** Prefix of every path if a proxy serves Docket under a path; usually ''. */
  readonly prefix: string
  readonly version: string
  /** Demo users who still have their published passwords, with these passwords. */
  readonly demoUsers: readonly { readonly userName: string; readonly password: string }[]
}

/** Puts the facts into the built page, and makes the addresses of its assets absolute: the page is served at many paths. */
export function consolePage(page: string, { prefix, version, demoUsers }: ConsoleFacts): string {
  const facts = html`<meta name="docket" data-prefix="${prefix}" data-version="${version}" data-demo="${JSON.stringify(demoUsers)}">`
  return page
    .replaceAll('"./assets/', () => `"${html`${prefix}`.text}/console/assets/`)
    .replace('<meta name="docket">', () => facts.text)
}
