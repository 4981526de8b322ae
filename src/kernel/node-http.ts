/**
 * What Docket uses of `node:http`. `import … from 'node:http'` reads every export of it, `WebSocket` among them, for which Node loads the whole of its
 * HTTP client (undici): 40 ms of CPU at each start. A test rejects such imports.
 */
export const { createServer, request, STATUS_CODES } = process.getBuiltinModule('node:http')
