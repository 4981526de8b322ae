import type { Person, World } from './model.ts'
import type { Step, Ticket } from './ticket.ts'
import { fillIn, inventFacts } from './ticket-facts.ts'
import { followers, groupFor, serviceId } from './ticket-setting.ts'
import { problemTopics } from './words/problem-topics.ts'
import type { ServiceKey } from './words/services.ts'
import { addWorkingMinutes, busyMoment, dayMs, timestamp } from './working-time.ts'

export interface Problem {
  readonly ticket: Ticket
  readonly service: ServiceKey
}

/** A problem: opened by an agent who sees the same incident repeatedly; analysed and solved over days or weeks. */
export function makeProblem({ random, ground, staffing, span }: World): Problem {
  const topic = random.pick(problemTopics)
  const language = random.pick(['en', 'ru'] as const)
  const words = topic[language]
  const group = groupFor(staffing, topic.team, language)
  const owner: Person = random.pick(group.members)
  const openedAtMs = busyMoment(random, span, owner.timeZone)
  const facts = inventFacts(random, { openedAtMs, zone: owner.timeZone, language, service: topic.service })
  const later = (fromMs: number, workingDays: number): number =>
    addWorkingMinutes(fromMs, random.longTailed(workingDays * 540, 2), owner.timeZone)

  const startedAtMs = later(openedAtMs, 0.5)
  const foundAtMs = later(startedAtMs, 5)
  const solvedAtMs = later(foundAtMs, 9)
  const closedAtMs = later(solvedAtMs, 5)
  const finding = fillIn(words.rootCause, facts, owner)
  const steps: readonly Step[] = [
    { atMs: openedAtMs, by: owner, group, assignee: owner },
    { atMs: later(openedAtMs, 0.1), by: owner, state: '1' as const },
    { atMs: startedAtMs, by: owner, state: '2' as const },
    {
      atMs: foundAtMs,
      by: owner,
      entry: { column: 'work_notes' as const, text: finding },
      sets: {
        known_error: true,
        root_cause: `<p>${finding}</p><p><em>${fillIn(words.workaround, facts, owner)}</em></p>`,
      },
    },
    {
      atMs: solvedAtMs,
      by: owner,
      state: '7' as const,
      sets: { close_code: 'solved', closure_notes: finding, known_error: false },
    },
    { atMs: closedAtMs, by: random.pick(group.members), state: '10' as const },
  ].toSorted((a, b) => a.atMs - b.atMs)
  const priority = random.pick(['2', '3', '3'] as const)
  return {
    service: topic.service,
    ticket: {
      id: ground.newSysId(openedAtMs),
      table: 'itsm_problem',
      openedAtMs,
      story: { facts, language },
      openedBy: owner,
      steps,
      columns: {
        subject: fillIn(words.subject, facts, owner),
        short_description: null,
        description: fillIn(words.description, facts, owner),
        priority,
        urgency: priority,
        impact: '2',
        due_date: timestamp(openedAtMs + random.between(14, 45) * dayMs),
        company: owner.company.id,
        service: serviceId(staffing, topic.service),
        followers_list: followers(random, staffing, 0.5),
        category: topic.category,
        contact_type: 'self_service',
        reassignment_count: 0,
        known_error: false,
      },
    },
  }
}
