import { defineConfig } from 'vitest/config'

/** Rules of the sources that no other tool checks: names, sizes, only places, Russian words, citations. They need no database; `npm run check`. */
export default defineConfig({
  test: {
    include: [
      'src/*.test.ts',
      'src/**/only-*.test.ts',
      'src/database/advisory-locks.test.ts',
      'src/http/response/russian-error-details.test.ts',
      'src/records/{record-service,retry-on-stale-epoch,stages}.test.ts',
      'test/docs/citations.test.ts',
    ],
    passWithNoTests: false,
    testTimeout: 180_000,
    pool: 'threads',
    maxWorkers: 1,
    isolate: false,
  },
})
