import { rejectionStep, requestApproval } from './make-request.ts'
import type { World } from './model.ts'
import type { Step, Ticket } from './ticket.ts'
import { fillIn, inventFacts } from './ticket-facts.ts'
import { followers, groupFor, serviceId } from './ticket-setting.ts'
import { changeTopics } from './words/change-topics.ts'
import { addWorkingMinutes, busyMoment, dayMs, hourMs, minuteMs, nextWorkdayAt, timestamp } from './working-time.ts'

/** A change: planned by an agent, approved, carried out in an evening, reviewed a few days later. */
export function makeChange(world: World): Ticket {
  const { random, ground, staffing, span } = world
  const topic = random.pick(changeTopics)
  const language = random.pick(['en', 'ru'] as const)
  const words = topic[language]
  const group = groupFor(staffing, topic.team, language)
  const planner = random.pick(group.members)
  const zone = planner.timeZone
  const openedAtMs = busyMoment(random, span, zone)
  const facts = inventFacts(random, { openedAtMs, zone, language, service: topic.service })
  const approval = topic.type === 'standard' ? undefined : requestApproval(world, planner, openedAtMs)

  const readyAtMs = addWorkingMinutes(approval?.decidedAtMs ?? openedAtMs, random.longTailed(120, 2), zone)
  const leadMs = topic.type === 'emergency' ? 4 * hourMs : random.between(2, 16) * dayMs
  const startMs = nextWorkdayAt(readyAtMs + leadMs, random.pick([19, 20, 21, 22]), zone)
  const endMs = startMs + random.pick([60, 90, 120, 180, 240]) * minuteMs
  const doneMs = startMs + (endMs - startMs) * (0.6 + random.next() * 0.5)
  const worked: readonly Step[] = [
    { atMs: readyAtMs, by: planner, state: '1', assignee: planner, sets: { percent_complete: 10 } },
    { atMs: startMs, by: planner, state: '2', sets: { percent_complete: 40 } },
    {
      atMs: doneMs,
      by: planner,
      state: '7',
      entry: { column: 'work_notes', text: finished[language] },
      sets: { percent_complete: 100, close_code: 'solved', closure_notes: finished[language] },
    },
    {
      atMs: addWorkingMinutes(doneMs, random.longTailed(1_000, 1.6), zone),
      by: random.pick(group.members),
      state: '10',
    },
  ]
  const priority = topic.type === 'emergency' ? '2' : '3'
  return {
    id: ground.newSysId(openedAtMs),
    table: 'itsm_change_request',
    openedAtMs,
    story: { facts, language },
    openedBy: planner,
    steps: [
      { atMs: openedAtMs, by: planner, group },
      ...(approval?.decision === 'rejected' ? [rejectionStep(approval)] : worked),
    ],
    ...(approval === undefined ? {} : { approval }),
    columns: {
      subject: fillIn(words.subject, facts, planner),
      short_description: null,
      description: fillIn(words.description, facts, planner),
      priority,
      urgency: priority,
      impact: topic.risk === '4' ? '3' : '2',
      due_date: timestamp(endMs),
      company: planner.company.id,
      service: serviceId(staffing, topic.service),
      followers_list: followers(random, staffing, 0.4),
      category: topic.category,
      contact_type: 'self_service',
      reassignment_count: 0,
      type: topic.type,
      risk: topic.risk,
      planned_start: timestamp(startMs),
      planned_end: timestamp(endMs),
      percent_complete: 0,
      planned_cost: random.chance(0.4) ? `${random.between(2, 90) * 50}.00` : null,
      backout_plan: fillIn(words.backout, facts, planner),
    },
  }
}

const finished = {
  en: 'Carried out as planned, services checked, monitoring is quiet.',
  ru: 'Выполнено по плану, сервисы проверены, мониторинг спокоен.',
} as const
