/**
 * Every route that responds without credentials. The server does not start if such a route is missing here, so that a declaration
 * alone cannot make a route public. A test sends requests without credentials to all other routes and expects 401.
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
