import { type Html, html } from '../../http/answer/html.ts'

export interface PageFacts {
  readonly version: string
  /** Stands before every path when a proxy serves Docket below one; mostly ''. */
  readonly prefix: string
  /** As callers reach the server; '' when it is not known. */
  readonly baseUrl: string
}

function frame({ prefix }: PageFacts, title: string, content: Html): Html {
  return html`<!doctype html>
<html lang="en" data-prefix="${prefix}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Crect width='16' height='16' rx='4' fill='%230b6e62'/%3E%3Cpath d='M4 4.5h8M4 8h8M4 11.5h5' stroke='white' stroke-width='1.6' stroke-linecap='round'/%3E%3C/svg%3E">
<link rel="stylesheet" href="${prefix}/docs/docs.css">
${content}
</html>
`
}

/** `/`: what runs here and where to go on. Tells nothing of what is stored. */
export function homePage(facts: PageFacts): Html {
  const { version, prefix, baseUrl } = facts
  return frame(
    facts,
    'Docket',
    html`</head>
<body>
<main class="home">
<h1>Docket</h1>
<p>Version ${version} runs here: records and documents over HTTP, on PostgreSQL.</p>
<div class="card">
<h2>Where to go on</h2>
<ul>
<li><a href="${prefix}/docs">The API, page by page</a>: sign in there to see the tables that you may read</li>
<li><a href="${prefix}/openapi.json">The API for programs</a>: OpenAPI 3.1</li>
<li><a href="${prefix}/health">Is it up?</a> <a href="${prefix}/ready">Is it ready?</a></li>
</ul>
<h2>The first question</h2>
<pre tabindex="0"><code>curl -u admin '${baseUrl}/rest/v1/table/task?sysparm_limit=3'</code></pre>
<p>curl asks for the password: it was printed at the first start, or is what <code>DOCKET_ADMIN_PASSWORD</code> says. For a
program, an access key is better:</p>
<pre tabindex="0"><code>curl -X POST '${baseUrl}/v1/auth/login' -H 'Content-Type: application/json' \\
  -d '{"username":"admin","password":"…"}'</code></pre>
</div>
<p class="hint">The README beside the source tells the rest: settings, the query language, every error.</p>
</main>
</body>`,
  )
}

/** `/docs`: the page around the OpenAPI document, which its script reads and draws. */
export function docsPage(facts: PageFacts): Html {
  const { version, prefix, baseUrl } = facts
  return frame(
    facts,
    'Docket: the API',
    html`<script type="module" src="${prefix}/docs/docs.js"></script>
</head>
<body>
<header class="top">
<h1><a href="${prefix}/">Docket</a><span class="version">${version}</span></h1>
<form id="sign-in">
<label class="off-screen" for="name">User name</label>
<input id="name" name="name" placeholder="User name" autocomplete="username" required>
<label class="off-screen" for="password">Password</label>
<input id="password" name="password" type="password" placeholder="Password" autocomplete="current-password" required>
<button class="main">Sign in</button>
</form>
<div id="signed-in" class="signed-in" hidden><span>Signed in as <strong id="who"></strong></span>
<button id="sign-out" type="button">Sign out</button></div>
<p id="trouble" class="trouble" role="alert"></p>
</header>
<div class="layout">
<nav class="index" aria-label="Parts of the API">
<label class="off-screen" for="filter">Find a table or a part</label>
<input id="filter" type="search" placeholder="Find a table or a part">
<p id="count"></p>
<ul id="index"></ul>
</nav>
<main>
<section class="intro">
<p>Every answer is JSON: <code>{"status":"OK","data":…}</code>, or <code>{"status":"ERROR",…}</code> with a message, a code and
the place of the fault. Sign in above to see the tables and columns that you may read, and to try requests as yourself.</p>
<p>The examples take an access key from the shell's variable <code>KEY</code>:</p>
<pre tabindex="0"><code>curl -X POST '${baseUrl}/v1/auth/login' -H 'Content-Type: application/json' \\
  -d '{"username":"…","password":"…"}'
KEY=…   # data.auth_key of the answer</code></pre>
<noscript><p><strong>This page draws <a href="${prefix}/openapi.json">openapi.json</a> with a script, and scripts are off.</strong>
Any OpenAPI 3.1 viewer shows the same.</p></noscript>
</section>
<div id="parts"></div>
</main>
</div>
<dialog id="try" class="window" aria-labelledby="try-title">
<h2 id="try-title">Try a request</h2>
<form id="request">
<div class="line">
<label class="off-screen" for="method">Method</label>
<select id="method" name="method"><option>GET<option>POST<option>PUT<option>PATCH<option>DELETE</select>
<label class="off-screen" for="path">Path</label>
<input id="path" name="path" required spellcheck="false">
<button class="main">Send</button>
<button id="close-try" type="button">Close</button>
</div>
<label id="body-field">Body<textarea name="body" spellcheck="false"></textarea></label>
</form>
<div id="answer" aria-live="polite"></div>
</dialog>
</body>`,
  )
}
