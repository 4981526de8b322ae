import { mkdir, readdir, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { manifestName } from './has-saved-index.ts'
import { openSegment } from './segment.ts'
import { hashOfSegment, readWhole, segmentFileIn, writeWhole } from './segment-file.ts'
import { termsVersion } from './terms-version.ts'
import type { HashedSegment } from './writer-index.ts'

/** The index at one sequence number of the change log. */
export interface IndexSnapshot {
  /** Of the database that contains the documents (`readHistoryIds`). */
  readonly historyId: string
  readonly position: number
  readonly segments: readonly HashedSegment[]
  /** Removed documents of the segments. */
  readonly removed: readonly { readonly collectionId: number; readonly documentId: number; readonly position: number }[]
  readonly unbuilt: readonly UnbuiltPart[]
}

/** A collection that is not fully in the segments yet. The builder of the index interprets the rest. */
export interface UnbuiltPart {
  readonly collectionId: number
  readonly upTo: number
  readonly afterId: number
  readonly done: number
  readonly of: number
}

const formatVersion = 5
/** Before version 5 a segment had a CRC-32, which each save computed again; version 3 contained complete collections only. */
const earlierVersions = [3, 4]
const fileName = /^([0-9a-f-]{36}\.segment|manifest\.json)$/
const unfinishedEnding = /\.[0-9a-f-]{36}$/

interface Manifest {
  readonly formatVersion: number
  readonly termsVersion: number
  readonly historyId: string
  readonly position: number
  readonly segments: readonly {
    readonly collectionId: number
    readonly segmentId: string
    readonly bytes: number
    /** SHA-256, hexadecimal; of an earlier version, CRC-32. */
    readonly checksum: string | number
  }[]
  readonly removed: readonly (readonly [collectionId: number, documentId: number, position: number])[]
  /** Absent in an earlier version. */
  readonly unbuilt?: readonly UnbuiltPart[]
}

/** Several processes may share one folder: each file is written atomically under its own name, and the last manifest wins. */
export async function saveSegments({
  folder,
  snapshot,
  nowMs,
}: {
  readonly folder: string
  readonly snapshot: IndexSnapshot
  readonly nowMs: number
}): Promise<void> {
  await mkdir(folder, { recursive: true })
  const segments: Manifest['segments'][number][] = []
  for (const { collectionId, segmentId, buffer, hash } of snapshot.segments) {
    const bytes = new Uint8Array(buffer)
    const file = segmentFileIn(folder, segmentId)
    if ((await sizeOf(file)) !== bytes.length) await writeWhole(file, bytes)
    segments.push({ collectionId, segmentId, bytes: bytes.length, checksum: hash })
  }
  const manifest: Manifest = {
    formatVersion,
    termsVersion,
    historyId: snapshot.historyId,
    position: snapshot.position,
    segments,
    removed: snapshot.removed.map(({ collectionId, documentId, position }) => [collectionId, documentId, position]),
    unbuilt: snapshot.unbuilt,
  }
  const file = { checksum: checksumOf(Buffer.from(JSON.stringify(manifest))), manifest }
  await writeWhole(join(folder, manifestName), Buffer.from(JSON.stringify(file)))
  await clearAway(folder, new Set([manifestName, ...segments.map(({ segmentId }) => `${segmentId}.segment`)]), nowMs)
}

/** @returns undefined when no index is usable: not saved yet, of another version, or damaged. The database has all its data. */
export async function loadSegments(folder: string): Promise<IndexSnapshot | undefined> {
  try {
    const manifest = await readManifest(join(folder, manifestName))
    const segments: HashedSegment[] = []
    for (const { collectionId, segmentId, bytes, checksum } of manifest.segments)
      segments.push({
        collectionId,
        segmentId,
        ...(await readSegment(segmentFileIn(folder, segmentId), bytes, checksum)),
      })
    return {
      historyId: manifest.historyId,
      position: manifest.position,
      segments,
      removed: manifest.removed.map(([collectionId, documentId, position]) => ({ collectionId, documentId, position })),
      unbuilt: manifest.unbuilt ?? [],
    }
  } catch {
    return undefined
  }
}

/** The checksum proves that this version wrote it, so its shape needs no check. */
async function readManifest(file: string): Promise<Manifest> {
  const { checksum, manifest } = JSON.parse(await readFile(file, 'utf8')) as { checksum: number; manifest: Manifest }
  const isWhole = checksumOf(Buffer.from(JSON.stringify(manifest))) === checksum
  if (!isWhole) throw new Error(`${file} is damaged`)
  if (![formatVersion, ...earlierVersions].includes(manifest.formatVersion) || manifest.termsVersion !== termsVersion)
    throw new Error(`${file} is of another version`)
  return manifest
}

async function readSegment(
  file: string,
  bytes: number,
  checksum: string | number,
): Promise<Pick<HashedSegment, 'buffer' | 'hash'>> {
  const buffer = await readWhole(file, bytes)
  const hash = hashOfSegment(buffer)
  if (checksum !== (typeof checksum === 'number' ? checksumOf(new Uint8Array(buffer)) : hash))
    throw new Error(`${file} is damaged`)
  openSegment(buffer)
  return { buffer, hash }
}

/** Long enough for a process that is reading the previous manifest to find its files. */
const keepUnnamedMs = 10 * 60_000

async function clearAway(folder: string, named: ReadonlySet<string>, nowMs: number): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!fileName.test(name.replace(unfinishedEnding, '')) || named.has(name)) continue
    const file = join(folder, name)
    const found = await stat(file).catch(() => undefined)
    if (found !== undefined && nowMs - found.mtimeMs > keepUnnamedMs) await rm(file, { force: true })
  }
}

async function sizeOf(file: string): Promise<number | undefined> {
  return (await stat(file).catch(() => undefined))?.size
}

function checksumOf(bytes: Uint8Array): number {
  return crc32(bytes)
}
