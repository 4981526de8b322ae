import type { Command } from 'commander'
import { defaultLimits } from '../doctor/check.ts'
import { hasFault, linesOf, printLines } from '../doctor/describe-reports.ts'
import { freeBytesOf } from '../doctor/disk-space.ts'
import { examine } from '../doctor/examine.ts'
import { systemClock } from '../kernel/clock.ts'
import { asWhole } from './option-values.ts'

interface DoctorOptions {
  readonly json?: true
  readonly thorough?: true
  readonly minFreeMb: number
}

const bytesOfMegabyte = 1_048_576

/** `docket doctor` */
export function registerDoctorCommand(program: Command): void {
  program
    .command('doctor')
    .description(
      'examine settings, database, disk, rules, files and more, and write nothing; exit code 1 when something is wrong',
    )
    .option('--json', 'print the findings as JSON')
    .option('--thorough', 'also read every file and compare the search index')
    .option('--min-free-mb <number>', 'free space that the disk must have', asWhole(0, 999_999_999), 1_024)
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2))
    .action(async ({ json, thorough, minFreeMb }: DoctorOptions) => {
      const lines = linesOf(
        await examine({
          environment: process.env,
          limits: { ...defaultLimits, minFreeBytes: minFreeMb * bytesOfMegabyte },
          clock: systemClock,
          freeBytes: freeBytesOf,
          isThorough: thorough === true,
        }),
      )
      process.stdout.write(json ? `${JSON.stringify(lines, null, 2)}\n` : printLines(lines))
      if (hasFault(lines)) process.exitCode = 1
    })
}
