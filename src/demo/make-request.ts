import type { Person, World } from './model.ts'
import type { Approval, Step, Ticket } from './ticket.ts'
import { fillIn, inventFacts } from './ticket-facts.ts'
import { liveThrough, type Priority } from './ticket-life.ts'
import { followers, groupFor, receiveCall, serviceId } from './ticket-setting.ts'
import { requestTopics } from './words/request-topics.ts'
import { addWorkingMinutes, timestamp } from './working-time.ts'

const topics = requestTopics.map((topic) => [topic, topic.weight] as const)
/** The promise for everything in the catalogue. */
const promisedWorkingMinutes = 5 * 540

/** A request from the catalogue: some need a manager's approval, then it is handled like an incident, with less urgency. */
export function makeRequest(world: World): Ticket {
  const { random, staffing, ground } = world
  const topic = random.pickWeighted(topics)
  const call = receiveCall(world)
  const { caller, openedAtMs, openedBy } = call
  const words = random.pick(topic.cases)[caller.language]
  const facts = inventFacts(random, {
    openedAtMs,
    zone: caller.timeZone,
    language: caller.language,
    service: topic.service,
  })
  const priority: Priority = random.pick(['3', '4', '4'])
  const approval = topic.needsApproval ? requestApproval(world, caller, openedAtMs) : undefined
  const group = groupFor(staffing, topic.team, caller.language)
  const worked = liveThrough(random, {
    openedAtMs: approval?.decidedAtMs ?? openedAtMs,
    openedBy,
    caller,
    language: caller.language,
    priority,
    facts,
    finding: words.finding,
    fix: words.fix,
    groups: [group],
    countsReopening: false,
  })
  const arrival: Step = { atMs: openedAtMs, by: openedBy, group }
  const quantity = random.chance(0.15) ? random.between(2, 6) : 1
  return {
    id: ground.newSysId(openedAtMs),
    table: 'itsm_request',
    openedAtMs,
    story: { facts, language: caller.language },
    openedBy,
    steps: [arrival, ...(approval?.decision === 'rejected' ? [rejectionStep(approval)] : worked)],
    ...(approval === undefined ? {} : { approval }),
    columns: {
      subject: fillIn(random.pick(words.subjects), facts, caller),
      short_description: null,
      description: fillIn(words.description, facts, caller),
      priority,
      urgency: priority,
      impact: '4',
      due_date: timestamp(addWorkingMinutes(openedAtMs, promisedWorkingMinutes, caller.timeZone)),
      sla_due: timestamp(addWorkingMinutes(openedAtMs, promisedWorkingMinutes * 2, caller.timeZone)),
      caller: caller.id,
      contact: caller.id,
      company: caller.company.id,
      service: serviceId(staffing, topic.service),
      followers_list: followers(random, staffing, 0.1),
      category: topic.category,
      contact_type: call.contactType,
      reassignment_count: 0,
      requested_for: random.chance(0.8) ? caller.id : colleagueOf(world, caller).id,
      quantity,
      price: topic.price === '' ? null : (Number(topic.price) * quantity).toFixed(2),
    },
  }
}

export function requestApproval({ random, staffing }: World, asking: Person, requestedAtMs: number): Approval {
  const approver = staffing.managers.get(asking.id) ?? random.pick(staffing.groups.get('identity')?.members ?? [])
  const decision = random.chance(0.93) ? 'approved' : 'rejected'
  const rejections = { en: 'Not in the budget of this quarter.', ru: 'В бюджете этого квартала нет.' } as const
  return {
    approver,
    requestedAtMs: requestedAtMs,
    dueAtMs: addWorkingMinutes(requestedAtMs, 3 * 540, approver.timeZone),
    decidedAtMs: addWorkingMinutes(requestedAtMs, random.longTailed(260, 2.6), approver.timeZone),
    decision,
    comment: decision === 'rejected' ? rejections[approver.language] : null,
  }
}

export function rejectionStep({ approver, decidedAtMs, comment }: Approval): Step {
  return {
    atMs: decidedAtMs,
    by: approver,
    state: '10',
    sets: { close_code: 'not_solved', closure_notes: comment },
  }
}

function colleagueOf({ random, staffing }: World, caller: Person): Person {
  return random.pick(staffing.callers.filter(({ company }) => company === caller.company))
}
