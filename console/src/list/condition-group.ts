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
