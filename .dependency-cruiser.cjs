/**
 * Who may import whom: arrows point down (docs/ARCHITECTURE.md, "Import rules").
 * tools/check-imports.ts runs this and fails when too few modules were seen.
 */
const room = (name) => `^src/${name}/`

/** The rooms a room may import from, beside itself. A room that is not a key here may import nothing of ours. */
const mayImport = {
  http: [
    'records',
    'documents',
    'webhooks',
    'follow',
    'bulk',
    'attachments',
    'identity',
    'acl',
    'catalog',
    'column-types',
    'condition',
    'contract',
    'config',
    'database',
    'telemetry',
    'kernel',
  ],
  records: ['condition', 'column-types', 'catalog', 'acl', 'identity', 'jobs', 'database', 'contract', 'kernel'],
  documents: ['condition', 'catalog', 'acl', 'identity', 'jobs', 'database', 'contract', 'kernel'],
  follow: ['records', 'documents', 'column-types', 'condition', 'catalog', 'identity', 'database', 'kernel'],
  bulk: ['records', 'column-types', 'condition', 'catalog', 'database', 'kernel'],
  attachments: ['records', 'documents', 'acl', 'identity', 'catalog', 'database', 'kernel'],
  webhooks: ['records', 'identity', 'jobs', 'database', 'kernel'],
  cli: [
    'adopt',
    'attachments',
    'backup',
    'doctor',
    'documents',
    'bulk',
    'identity',
    'acl',
    'catalog',
    'condition',
    'contract',
    'config',
    'database',
    'telemetry',
    'demo',
    'kernel',
  ],
  adopt: ['column-types', 'catalog', 'database', 'kernel'],
  doctor: [
    'jobs',
    'start',
    'demo',
    'adopt',
    'follow',
    'records',
    'documents',
    'catalog',
    'config',
    'database',
    'telemetry',
    'kernel',
  ],
  backup: ['documents', 'database', 'kernel'],
  start: ['config', 'database', 'identity', 'telemetry', 'kernel'],
  demo: ['attachments', 'follow', 'documents', 'identity', 'catalog', 'database', 'kernel'],
  acl: ['column-types', 'condition', 'catalog', 'identity', 'kernel'],
  identity: ['catalog', 'database', 'kernel'],
  catalog: ['column-types', 'condition', 'database', 'kernel'],
  jobs: ['database', 'kernel'],
  'column-types': ['condition', 'kernel'],
  condition: ['kernel'],
  contract: ['kernel'],
  telemetry: ['kernel'],
  config: ['kernel'],
  database: ['telemetry', 'config', 'kernel'],
  kernel: [],
}

module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'no-orphans',
      severity: 'error',
      from: { orphan: true, path: '^src/', pathNot: '^src/main\\.ts$' },
      to: {},
    },
    ...Object.entries(mayImport).map(([from, to]) => ({
      name: `${from}-imports-only-what-is-below`,
      severity: 'error',
      from: { path: room(from) },
      to: { path: '^src/', pathNot: [from, ...to].map(room) },
    })),
    {
      name: 'only-http-and-app-know-the-web-framework',
      severity: 'error',
      from: { path: '^src/', pathNot: ['^src/http/', '^src/app\\.ts$'] },
      to: { path: 'node_modules/(fastify|@fastify)/' },
    },
    {
      name: 'only-database-knows-the-driver',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/database/' },
      to: { path: 'node_modules/(pg|pg-copy-streams)/' },
    },
    {
      name: 'pure-rooms-do-no-io',
      severity: 'error',
      from: {
        path: '^src/(kernel|condition|column-types|contract|records/(parse|plan|sql|render)|documents/(chunk|answer))/',
        pathNot: '\\.test\\.ts$',
      },
      to: {
        path: [
          '^(node:)?(fs|net|http|https|dns|child_process|timers|worker_threads|cluster)',
          '^src/database/(?!statement)',
        ],
      },
    },
    {
      name: 'a-stage-imports-values-of-the-stage-before-never-its-functions',
      severity: 'error',
      from: { path: '^src/records/(parse|authorize|plan|sql|render)/' },
      to: {
        path: '^src/records/(parse|authorize|plan|sql|render)/',
        pathNot: ['^src/records/$1/', '/(record-request|permitted-request|record-plan)\\.ts$'],
      },
    },
    // A test beside the code may use the test libraries and what test/ shares; the server may not.
    {
      name: 'nothing-imports-tests',
      severity: 'error',
      from: { path: '^src/', pathNot: '\\.test\\.ts$' },
      to: { path: ['^(test|bench|tools)/', '\\.test\\.ts$'] },
    },
    {
      name: 'only-declared-packages',
      severity: 'error',
      from: { path: '^src/', pathNot: '\\.test\\.ts$' },
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown', 'unknown', 'npm-dev'] },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    parser: 'swc',
    tsPreCompilationDeps: true,
    exclude: { path: '^test/fixtures' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default', 'types'] },
  },
}
