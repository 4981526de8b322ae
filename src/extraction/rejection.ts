import type { ExtractionStage, ProblemOf, UnreadableCause } from '../kernel/problem.ts'

/** Why a file cannot be read, if the file is at fault. */
export type FileProblem = ProblemOf<'unreadable-document'> | ProblemOf<'unsupported-media-type'>

/**
 * Carries a `FileProblem` out of the callbacks of a parser, which cannot return a `Result`. Only `extract-document.ts` catches
 * it and converts it to a `Result`.
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
