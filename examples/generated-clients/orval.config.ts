export default {
  desk: {
    input: { target: './out/openapi.json' },
    output: { target: './out/orval/client.ts', schemas: './out/orval/model', client: 'fetch', mode: 'single' },
  },
}
