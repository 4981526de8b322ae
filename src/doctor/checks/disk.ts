import { resolve } from 'node:path'
import type { Check, SettingsGround } from '../check.ts'
import { nearestExisting } from './data-directory.ts'

/** Space for the embedded database, files, uploads and the search index. */
export const checkDisk: Check<SettingsGround> = {
  name: 'disk',
  async run({ settings, limits, freeBytes }) {
    const directory = resolve(settings.dataDir)
    const free = await freeBytes(nearestExisting(directory))
    const summary = `${inMegabytes(free)} free`
    if (free >= limits.minFreeBytes) return { summary, findings: [] }
    const what = `The disk of the data directory has ${summary}, less than ${inMegabytes(limits.minFreeBytes)}`
    const cure = 'free some space, or set DOCKET_DATA_DIR to a folder on another disk'
    return { summary, findings: [{ fault: 'disk-nearly-full', what, where: directory, cure }] }
  },
}

const inMegabytes = (bytes: number): string => `${Math.floor(bytes / 1_048_576)} MB`
