import type { ExtractionStage, ProblemOf, UnreadableCause } from '../kernel/problem.ts'

/** A reason of the file's, not of ours, for which it cannot be read. */
export type FileProblem = ProblemOf<'unreadable-document'> | ProblemOf<'unsupported-media-type'>

/**
 * Carries a `FileProblem` out of the callbacks of a parser, where no `Result` can be returned. Only `extract-document.ts`
 * catches it, and makes a `Result` of it.
 */
export class Rejection extends Error {
  readonly problem: FileProblem

  constructor(problem: FileProblem) {
    super(problem.kind)
    this.problem = problem
  }
}

export function unreadable(cause: UnreadableCause, detail: string, stage: ExtractionStage = 'extract'): Rejection {
  return new Rejection({ kind: 'unreadable-document', stage, cause, detail })
}
