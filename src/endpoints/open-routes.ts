/**
 * Every route that responds without credentials. The server does not start with one that is not here, so that nobody opens a door by
 * a declaration alone; a test walks all others without credentials and expects 401.
 */
export const OPEN_ROUTES: ReadonlySet<string> = new Set([
  'GET /',
  'GET /console',
  'GET /console/*',
  'GET /console/assets/:asset',
  'GET /console/plain.css',
  'GET /docs',
  'GET /health',
  'GET /ready',
  'GET /openapi.json',
  'POST /v1/auth/login',
  'POST /rest/v1/auth/login',
  'POST /oauth_token.do',
  'POST /oauth_revoke.do',
])
