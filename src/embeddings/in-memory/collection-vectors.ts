import { DocumentNumbers } from './document-numbers.ts'
import type { Fingerprints } from './fingerprint-vectors.ts'
import { type ComparedVector, largestLikelyDifference, lastOfSmallest } from './likely-similar.ts'
import type { Nearest } from './nearest-candidates.ts'
import { type Rounding, roundToBytes, strideOf } from './round-to-bytes.ts'
import type { RoundedBlocks } from './rounded-blocks.ts'
import { RoundedVectors } from './rounded-vectors.ts'
import type { IsPlace } from './similar-signs.ts'
import type { VectorBlocks } from './vector-blocks.ts'
import { VectorColumns } from './vector-columns.ts'
import { type SelectedPlaces, VectorSigns } from './vector-signs.ts'

/** Vectors of adjacent chunks of one document, as stored. */
export interface StoredVectors {
  readonly collectionId: number
  readonly documentId: number
  readonly docId: string
  readonly firstChunk: number
  /** In sequence. A view of shared memory, so that a thread receives them without a copy. */
  readonly numbers: Float32Array
}

/** The query: its numbers are in every region of the memory, too. */
interface RoundedQuery extends Rounding {
  readonly numbers: Int16Array
}

/** Sums of rounded numbers differ by less from the exact ones. */
const slack = 1e-6

/** Errors of rounding point in any direction: hardly any similarity has an error of more standard deviations. */
const likelyDeviations = 6

/** A comparison of so many allowed vectors takes as long as one of the signs of this many times as many. */
const signsPerVector = 32

/** So many of the selected vectors, those whose signs differ least, are compared first, and show how well signs predict similarities. */
const firstCompared = 256

/** How the similarity of a vector is known. */
interface Bounds {
  readonly isMarginal: boolean
  /** The share of the largest possible error that it may have. */
  readonly share: number
}
const certainBounds: Bounds = { share: 1, isMarginal: false }

interface ListedVectors {
  readonly places: readonly number[] | Int32Array
  /** Of the vector at an index of the list; absent: certain ones. */
  readonly boundsAt?: (at: number) => Bounds
  /** Where the similarities are written, without their errors; absent: nowhere. */
  readonly similarities?: Float64Array
}

/** What a search by signs leaves out. */
export interface Approximation {
  /** So many vectors are selected by signs. */
  readonly min: number
  /** So many of the nearest of these are compared in any likely case. */
  readonly complete: number
}

interface LikelyNearest extends Pick<Approximation, 'complete'> {
  readonly query: RoundedQuery
  readonly best: Nearest
  readonly isRemoved: IsPlace
}

export interface CollectionMemory {
  readonly codes: RoundedBlocks
  readonly signs: VectorBlocks
  /** Smaller collections have no signs. */
  readonly minApproximate: number
}

/** The rounded vectors of one collection, in any order, without gaps: the last vector replaces a removed one. */
export class CollectionVectors {
  count = 0
  /** Dimensions of a vector. */
  readonly length: number
  readonly #memory: CollectionMemory
  readonly #rounded: RoundedVectors
  readonly #columns = new VectorColumns()
  readonly #documents = new DocumentNumbers()
  /** Numbers of documents that were removed, and that searches of an earlier state still find. */
  readonly #removed = new Set<number>()
  /** null: the collection has never been large. */
  #signs: VectorSigns | null = null
  /** The error of a similarity is likely less than this share of the largest possible one. */
  readonly #likelyShare: number

  constructor(length: number, memory: CollectionMemory) {
    this.length = length
    this.#likelyShare = Math.min(1, likelyDeviations / Math.sqrt(length))
    this.#rounded = new RoundedVectors(strideOf(length), memory.codes)
    this.#memory = memory
  }

  add({ documentId, docId, firstChunk, numbers }: StoredVectors): void {
    const { length } = this
    const document = this.#documents.numberOf(documentId, docId)
    const added = Math.floor(numbers.length / length)
    const { scales, errors, documents, chunks } = this.#columns.reserve(this.count + added)
    for (let at = 0; at < added; at++) {
      const place = this.count
      const codes = this.#rounded.prepare(place)
      const { scale, error } = roundToBytes(numbers.subarray(at * length, (at + 1) * length), codes)
      this.#rounded.put(place, codes)
      this.#signs?.set(place, codes)
      scales[place] = scale
      // Rounded up.
      errors[place] = error * (1 + 1e-6)
      documents[place] = document
      chunks[place] = firstChunk + at
      // Last: if no more memory can be had, the vectors so far can be removed.
      this.count++
    }
    if (this.#signs === null && this.count >= this.#memory.minApproximate) this.#signs = this.#makeSigns()
  }

  forget(documentIds: ReadonlySet<number>): void {
    const gone = this.#documents.forget(documentIds)
    if (gone.size === 0) return
    for (const number of gone) this.#removed.delete(number)
    for (let place = this.count - 1; place >= 0; place--)
      if (gone.has(this.#columns.documents[place] as number)) this.#takeOut(place)
    this.#freeUnused()
  }

  documentIds(): Iterable<number> {
    return this.#documents.ids()
  }

  /** These documents take no places in searches by signs from now on. */
  markRemoved(documentIds: Iterable<number>): void {
    for (const number of this.#documents.knownOf(documentIds)) this.#removed.add(number)
  }

  forgetAll(): void {
    this.count = 0
    this.#freeUnused()
  }

  addTo(found: Fingerprints, collectionId: number, documentIds: ReadonlySet<number> | null): void {
    const { documents, chunks, scales } = this.#columns
    for (let place = 0; place < this.count; place++) {
      const documentId = this.#documents.documentIdOf(documents[place] as number)
      if (documentIds !== null && !documentIds.has(documentId)) continue
      const [chunk, scale] = [chunks[place] as number, scales[place] as number]
      found.add(collectionId, documentId, chunk, this.#rounded.at(place), scale)
    }
  }

  /** @param allowed ids of documents, ascending; null: all */
  offerAll(query: RoundedQuery, allowed: Float64Array | null, best: Nearest): void {
    if (allowed === null) this.#offerBlocks(query, best)
    else this.#offerListed({ places: this.#placesOf(this.#documents.flags(allowed)) }, query, best)
  }

  /**
   * Offers only about `min` vectors: those whose signs are the most similar to the query's, and of these only those that are likely among
   * the `complete` nearest. Which ones these are does not depend on the
   * order of the vectors in memory. Their bounds are likely ones: certain ones are several times as far apart, and which vectors have the
   * highest of them says less about which are the nearest. Where a comparison of all takes no longer, all are offered, with certain bounds.
   *
   * @returns whether some were left out
   */
  offerSimilar(
    query: RoundedQuery,
    allowed: Float64Array | null,
    best: Nearest,
    { min, complete }: Approximation,
  ): boolean {
    const { count } = this
    const isLarge = count >= this.#memory.minApproximate && count > min
    // A query without direction is equally near to all.
    if (this.#signs === null || !isLarge || query.scale === 0) {
      this.offerAll(query, allowed, best)
      return false
    }
    const flags = allowed === null ? null : this.#documents.flags(allowed)
    const few = flags === null ? null : this.#placesOf(flags, Math.max(min, count / signsPerVector))
    const { documents } = this.#columns
    const isAllowed = flags === null ? null : (place: number) => flags[documents[place] as number] === 1
    const isRemoved = this.#removed.size === 0 ? null : (place: number) => this.#removed.has(documents[place] as number)
    if (few !== null) this.#offerListed({ places: few }, query, best)
    else
      this.#offerLikely(this.#signs.similar(query.numbers, { count, min, isAllowed, isRemoved }), {
        query,
        best,
        isRemoved,
        complete,
      })
    return few === null
  }

  /** A vector of the file takes longer to read than all else that is done with it. So the others are read only if they can be needed. */
  #offerLikely(selected: SelectedPlaces, { query, best, isRemoved, complete }: LikelyNearest): void {
    const { places, weightedDifferences } = selected
    const first = Math.max(firstCompared, complete)
    const counting =
      isRemoved === null ? weightedDifferences : weightedDifferences.filter((_, at) => !isRemoved(places[at] as number))
    const limit = counting.length > first * 2 ? lastOfSmallest(counting, first) : undefined
    if (limit === undefined) {
      this.#offerListed(this.#listBetween(selected, -1, Number.POSITIVE_INFINITY), query, best)
      return
    }
    const near = this.#listBetween(selected, -1, limit)
    const similarities = new Float64Array(near.places.length)
    this.#offerListed({ ...near, similarities }, query, best)
    const compared: ComparedVector[] = []
    for (const [at, similarity] of similarities.entries())
      if (isRemoved?.(near.places[at] as number) !== true)
        compared.push({ difference: near.weightedDifferences[at] as number, similarity })
    this.#offerListed(this.#listBetween(selected, limit, largestLikelyDifference(compared, complete)), query, best)
  }

  /** Those with larger weighted differences than `from`, up to `to`. */
  #listBetween(
    { places, differences, weightedDifferences, safeDifferences }: SelectedPlaces,
    from: number,
    to: number,
  ) {
    const listed = new Int32Array(places.length)
    let count = 0
    for (let at = 0; at < places.length; at++) {
      const difference = weightedDifferences[at] as number
      if (difference > from && difference <= to) listed[count++] = at
    }
    const indexes = listed.subarray(0, count)
    const [safe, marginal] = [false, true].map((isMarginal) => ({ share: this.#likelyShare, isMarginal })) as [
      Bounds,
      Bounds,
    ]
    return {
      places: indexes.map((at) => places[at] as number),
      weightedDifferences: Uint32Array.from(indexes, (at) => weightedDifferences[at] as number),
      boundsAt: (at: number): Bounds =>
        (differences[indexes[at] as number] as number) <= safeDifferences ? safe : marginal,
    }
  }

  #placesOf(flags: Uint8Array): readonly number[]
  /** @returns null: there are more than `max` */
  #placesOf(flags: Uint8Array, max: number): readonly number[] | null
  #placesOf(flags: Uint8Array, max = Number.POSITIVE_INFINITY): readonly number[] | null {
    const { documents } = this.#columns
    const places: number[] = []
    for (let place = 0; place < this.count; place++)
      if (flags[documents[place] as number] === 1 && places.push(place) > max) return null
    return places
  }

  #offerBlocks(query: RoundedQuery, best: Nearest): void {
    for (let first = 0; first < this.count; ) {
      const { products, count } = this.#rounded.products(first, this.count - first)
      for (let at = 0; at < count; at++) this.#offer(first + at, products[at] as number, query, best)
      first += count
    }
  }

  /** One call compares up to some thousands of the listed vectors. */
  #offerListed({ places, boundsAt, similarities }: ListedVectors, query: RoundedQuery, best: Nearest): void {
    for (let from = 0; from < places.length; ) {
      const { products, count } = this.#rounded.listedProducts(places, from)
      for (let at = from; at < from + count; at++) {
        const [place, product] = [places[at] as number, products[at - from] as number]
        if (similarities !== undefined) similarities[at] = this.#similarityOf(place, product, query)
        this.#offer(place, product, query, best, boundsAt?.(at))
      }
      from += count
    }
  }

  #offer(
    place: number,
    product: number,
    query: RoundedQuery,
    best: Nearest,
    { share, isMarginal } = certainBounds,
  ): void {
    const { errors, documents, chunks } = this.#columns
    const near = this.#similarityOf(place, product, query)
    // By Cauchy and Schwarz: the error of the vector by the query, and the error of the query by the rounded vector.
    const error = errors[place] as number
    // A query without direction is equally near to all.
    const margin = query.scale === 0 ? 0 : share * (error + query.error * (1 + error)) + slack
    if (near + margin < best.min) return
    const document = documents[place] as number
    const [documentId, docId] = [this.#documents.documentIdOf(document), this.#documents.docIdOf(document)]
    const [chunkIndex, upper, lower] = [chunks[place] as number, near + margin, near - margin]
    best.offer({ documentId, docId, chunkIndex, upper, lower, isMarginal })
  }

  #similarityOf(place: number, product: number, { scale }: RoundedQuery): number {
    return product * (this.#columns.scales[place] as number) * scale
  }

  #makeSigns(): VectorSigns {
    const signs = new VectorSigns(this.length, this.#memory.signs)
    for (let place = 0; place < this.count; place++) signs.set(place, this.#rounded.at(place))
    return signs
  }

  #takeOut(place: number): void {
    const last = --this.count
    this.#rounded.put(place, this.#rounded.at(last))
    this.#signs?.move(last, place)
    this.#columns.move(last, place)
  }

  #freeUnused(): void {
    this.#rounded.freeFrom(this.count)
    this.#signs?.freeFrom(this.count)
  }
}
