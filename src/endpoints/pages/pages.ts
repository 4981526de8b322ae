import { html } from '../../http/response/html.ts'
import { plainPage } from '../../http/response/plain-pages.ts'

export interface PageFacts {
  readonly version: string
  /** Prefix of every path if a proxy serves Docket under a path; usually ''. */
  readonly prefix: string
  /** Address at which callers reach the server; '' if it is not known. */
  readonly baseUrl: string
}

/** `/`: what runs here, with links. Contains nothing about stored data. */
export const homePage = ({ version, prefix, baseUrl }: PageFacts): string =>
  plainPage(
    prefix,
    'Docket',
    html`<p>Version ${version} runs here: records and documents over HTTP, on PostgreSQL.</p>
<ul>
<li><a href="${prefix}/docs">The API, page by page</a>: the tables that you may read, and requests to try</li>
<li><a href="${prefix}/openapi.json">The API for programs</a>: OpenAPI 3.1</li>
<li><a href="${prefix}/health">Is it up?</a> <a href="${prefix}/ready">Is it ready?</a></li>
</ul>
<p>The first question:</p>
<pre tabindex="0"><code>curl -u admin '${baseUrl}/rest/v1/table/task?sysparm_limit=3'</code></pre>
<p>curl asks for the password: it was printed at the first start, or is what <code>DOCKET_ADMIN_PASSWORD</code> says. For a
program, an access key is better:</p>
<pre tabindex="0"><code>curl -X POST '${baseUrl}/v1/auth/login' -H 'Content-Type: application/json' \\
  -d '{"username":"admin","password":"…"}'</code></pre>`,
    null,
  )
