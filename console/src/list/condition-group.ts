import { all, any, type ConditionTree } from 'docket-client'

/** A group as it is edited: it may be empty, have one member, or have members of its own kind until it is applied. */
export type Group = Extract<ConditionTree, { kind: 'all' | 'any' }>

/** Indexes of members, from the outermost group inwards. */
export type MemberPath = readonly number[]

export const isGroup = (term: ConditionTree | null): term is Group => term?.kind === 'all' || term?.kind === 'any'

/** An empty path leads to the group itself. undefined: the path ends behind the last member, where the next one is added. */
export function memberAt(group: Group, path: MemberPath): ConditionTree | undefined {
  let at: ConditionTree | undefined = group
  for (const index of path) at = at !== undefined && isGroup(at) ? at.of[index] : undefined
  return at
}

/** The group with another member at the path; an index after the last one adds it. null removes the member. */
export function withMember(group: Group, path: MemberPath, member: ConditionTree | null): Group {
  const [index = 0, ...inner] = path
  const [before, here, after] = [group.of.slice(0, index), group.of[index], group.of.slice(index + 1)]
  if (inner.length === 0) return { ...group, of: [...before, ...(member === null ? [] : [member]), ...after] }
  if (here === undefined || !isGroup(here)) return group
  return { ...group, of: [...before, withMember(here, inner, member), ...after] }
}

/** The group with its member at the path one level further out, behind the group that it leaves. */
export function movedOut(group: Group, path: MemberPath): Group {
  const member = memberAt(group, path)
  if (member === undefined || path.length < 2) return group
  const [left, around] = [path.slice(0, -1), path.slice(0, -2)]
  const outer = memberAt(group, around)
  if (outer === undefined || !isGroup(outer)) return group
  const behind = (left.at(-1) ?? 0) + 1
  const without = withMember(outer, [left.at(-1) ?? 0, path.at(-1) ?? 0], null)
  const moved: Group = { ...without, of: [...without.of.slice(0, behind), member, ...without.of.slice(behind)] }
  return around.length === 0 ? moved : withMember(group, around, moved)
}

/** The condition that the group means, without empty groups and redundant brackets; null if no condition is left. */
export function appliedGroup(group: Group): ConditionTree | null {
  const members = group.of.flatMap((member) => (isGroup(member) ? (appliedGroup(member) ?? []) : [member]))
  const [first, ...others] = members
  if (first === undefined) return null
  return group.kind === 'all' ? all(first, ...others) : any(first, ...others)
}

/** Max. groups within each other that a user makes. Deeper ones of a query that was written as text stay. */
export const maxDepth = 3

const depthOf = (member: ConditionTree | undefined): number =>
  member !== undefined && isGroup(member) ? 1 + Math.max(0, ...member.of.map(depthOf)) : 0

const beginsWith = (path: MemberPath, start: MemberPath): boolean => start.every((index, at) => path[at] === index)

/** Whether the member at `from` can stand where `to` leads: not within itself, and groups not too deep. */
function canMove(group: Group, from: MemberPath, to: MemberPath): boolean {
  const moved = memberAt(group, from)
  if (moved === undefined || from.length === 0 || to.length === 0 || beginsWith(to, from)) return false
  const depth = depthOf(moved)
  return depth === 0 || to.length + depth <= maxDepth || to.length <= from.length
}

/** The result of a move, and the path that leads to the member now. */
export interface Move {
  readonly group: Group
  readonly path: MemberPath
}

/** Puts the member at `from` before the one at `to`, or behind the last member. null: it cannot stand there, or it stands there already. */
export function movedTo(group: Group, from: MemberPath, to: MemberPath): Move | null {
  const parent = from.slice(0, -1)
  const index = from.at(-1) ?? 0
  const at = from.length - 1
  const isSibling = to.length === from.length && beginsWith(to, parent)
  if (!canMove(group, from, to) || (isSibling && to[at] === index + 1)) return null
  // Without the member, those behind it in its group move up.
  const isBehind = to.length >= from.length && beginsWith(to, parent) && (to[at] ?? 0) > index
  const path = isBehind ? to.with(at, (to[at] ?? 0) - 1) : to
  const moved = memberAt(group, from)
  return moved === undefined ? null : { group: withInserted(withMember(group, from, null), path, moved), path }
}

function withInserted(group: Group, path: MemberPath, member: ConditionTree): Group {
  const [index = 0, ...inner] = path
  if (inner.length === 0) return { ...group, of: group.of.toSpliced(index, 0, member) }
  const here = group.of[index]
  return here !== undefined && isGroup(here)
    ? { ...group, of: group.of.with(index, withInserted(here, inner, member)) }
    : group
}

/** All places of a member in the order in which they are displayed: before each member, within groups, and behind the last one. */
function placesIn(group: Group, path: MemberPath = []): readonly MemberPath[] {
  const before = group.of.flatMap((member, at) => {
    const here = [...path, at]
    return isGroup(member) ? [here, ...placesIn(member, here)] : [here]
  })
  return [...before, [...path, group.of.length]]
}

/** Moves the member one place up or down: past its neighbour, or across the edge of a group. null: there is no further place. */
export function movedBy(group: Group, from: MemberPath, step: -1 | 1): Move | null {
  const places = placesIn(group)
  const isHere = (path: MemberPath): boolean => path.join() === from.join()
  for (let at = places.findIndex(isHere) + step; at >= 0 && at < places.length; at += step) {
    const to = places[at]
    const move = to === undefined ? null : movedTo(group, from, to)
    if (move !== null) return move
  }
  return null
}
