#!/usr/bin/env node
// Plain JavaScript for any Node from 18 on: Docket itself is TypeScript that Node 24 runs as it is. Under an older Node the
// one that npm installed beside Docket takes over.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import module from 'node:module'
import { constants } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'

const neededMajor = 24
const root = dirname(dirname(fileURLToPath(import.meta.url)))

// Requests leave nothing behind that lives long: the nursery need not be large (V8 lets it grow to 128 MB), and what is old
// need not have four times its size before it is looked through. After 100,000 requests of all kinds the process holds 170 MB
// instead of 330, for no more CPU. Smaller than this, the nursery is emptied so often that it costs a third more.
// It begins as large: nearly everything outlives the loading of modules, and a smaller one copies it several times (60 to 110 ms of CPU of a
// start; this costs 3 MB).
// One thread empties it: several leave gaps in what they keep, 75 MB after some thousand requests, and save no CPU with so little.
const nursery = ['--max-semi-space-size=8', '--min-semi-space-size=8', '--no-parallel-scavenge']
const growth = '--heap-growing-percent=60'

// What glibc's malloc holds for buffers that are free again, in up to eight areas for each core. With these, 60 MB less after the
// first start, and no more CPU. Read before any JavaScript runs, as the nursery is. Programs that Docket starts do not inherit them.
const allocator = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: '1048576',
  MALLOC_TRIM_THRESHOLD_: '4194304',
}

if (Number(process.versions.node.split('.')[0]) >= neededMajor) {
  if (process.argv[2] === 'start') startAgainWithNursery()
  setFlagsFromString(growth)
  // What was compiled once need not be again: 0.4 s and 15 MB less at every start but the first.
  module.enableCompileCache(join(root, 'node_modules', '.cache', 'docket'))
  const { runCommandLine } = await import('../src/cli/command-line.ts')
  await runCommandLine(process.argv, async () => (await import('../src/main.ts')).start())
} else {
  runOnPinnedNode(findPinnedNode())
}

/** The nursery and the allocator are set up before any JavaScript runs; so this process begins once more, in place and with the same number. */
function startAgainWithNursery() {
  const isSized = process.execArgv.some((word) => word.startsWith('--max-semi-space-size'))
  if (isSized || process.execve === undefined || process.channel !== undefined) return
  process.execve(process.execPath, [process.execPath, ...nursery, ...process.execArgv, ...process.argv.slice(1)], {
    ...allocator,
    ...process.env,
  })
}

function findPinnedNode() {
  // Beside Docket's own modules, or, where Docket is a dependency, beside Docket.
  const places = [join(root, 'node_modules'), dirname(root)]
  return places.map((folder) => join(folder, 'node', 'bin', 'node')).find((path) => existsSync(path))
}

function runOnPinnedNode(node) {
  if (node === undefined) {
    console.error(
      `Docket needs Node ${neededMajor} or newer, and this is ${process.version}: run npm ci, which brings it.`,
    )
    process.exitCode = 1
    return
  }
  // The channel tells Docket when this process dies, whatever of.
  const child = spawn(node, [...nursery, fileURLToPath(import.meta.url), ...process.argv.slice(2)], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: { ...allocator, ...process.env },
  })
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT']) process.on(signal, () => child.kill(signal))
  child.on('error', (error) => {
    console.error(`Docket cannot run ${node}: ${error.message}`)
    process.exitCode = 1
  })
  child.on('exit', (code, signal) => {
    process.exit(code ?? 128 + (constants.signals[signal ?? 'SIGTERM'] ?? 15))
  })
}
