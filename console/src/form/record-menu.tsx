import { Menu } from '@base-ui/react/menu'
import { useNavigate } from '@tanstack/react-router'
import { Suspense, useState } from 'react'
import { endIfSignedOut, useIsStaff, useSession } from '../app.tsx'
import { loadPart } from '../load-part.ts'
import { t } from '../messages/i18n.ts'
import type { TableInfo } from '../table/table-info.ts'
import { classes } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { lazyDialog } from '../ui/part.tsx'
import { messageOf } from '../ui/states.tsx'
import { showToast } from '../ui/toast.tsx'
import ui from '../ui/ui.module.css'
import type { CopyFormat } from './copy-as.ts'
import type { RecordRights } from './use-rights.ts'

const VersionsDialog = lazyDialog(async () => (await import('./versions-dialog.tsx')).VersionsDialog)
const DeleteDialog = lazyDialog(async () => (await import('./delete-dialog.tsx')).DeleteDialog)

interface RecordMenuProps {
  readonly info: TableInfo
  readonly sysId: string
  readonly title: string
  readonly rights: RecordRights | undefined
  /** sys_ids of the followers; null: the table has no column for them. */
  readonly followers: readonly string[] | null
  readonly hasHistory: boolean
  readonly onFollow: (isFollowing: boolean) => void
  readonly onDeleted: () => void
}

/** Actions on the whole record. */
export function RecordMenu({
  info,
  sysId,
  title,
  rights,
  followers,
  hasHistory,
  onFollow,
  onDeleted,
}: RecordMenuProps) {
  const { user, roles } = useSession()
  const isStaff = useIsStaff()
  const navigate = useNavigate()
  const [open, setOpen] = useState<'versions' | 'delete' | null>(null)
  const isFollowing = followers?.includes(user.sys_id) ?? false
  const { name } = info.entry
  return (
    <>
      <Menu.Root>
        <Menu.Trigger className={classes(ui.button, ui.quiet, ui.icon)} aria-label={t('form.more')}>
          <Icon name="more" />
        </Menu.Trigger>
        <Menu.Portal container={document.getElementById('page')}>
          <Menu.Positioner align="end" sideOffset={4} className={ui.layer}>
            <Menu.Popup className={ui.popup}>
              {followers !== null && rights?.write.includes('followers_list') === true && (
                <Menu.Item className={ui.item} onClick={() => onFollow(!isFollowing)}>
                  {t(isFollowing ? 'form.unfollow' : 'form.follow')}
                </Menu.Item>
              )}
              {hasHistory && (
                <Menu.Item className={ui.item} onClick={() => setOpen('versions')}>
                  {t('versions.title')}
                </Menu.Item>
              )}
              {isStaff &&
                (['curl', 'TypeScript', 'JavaScript', 'Python', 'JSON'] as const).map((format) => (
                  <Menu.Item key={format} className={ui.item} onClick={() => void copy(format, name, sysId)}>
                    {t('form.copyAs', { format })}
                  </Menu.Item>
                ))}
              {isStaff && (
                <Menu.Item
                  className={ui.item}
                  onClick={() => void navigate({ to: '/api', search: { table: name, operation: `${name}.read` } })}
                >
                  {t('nav.api')}
                </Menu.Item>
              )}
              {roles.some((role) => role === 'admin' || role === 'security_admin') && (
                <Menu.Item
                  className={ui.item}
                  onClick={() =>
                    void navigate({
                      to: '/admin/access',
                      search: { user: user.user_name, table: name, sys_id: sysId, operation: 'read' },
                    })
                  }
                >
                  {t('grant.why')}
                </Menu.Item>
              )}
              <Menu.Item className={ui.item} onClick={() => setTimeout(() => print())}>
                {t('form.print')}
              </Menu.Item>
              {rights?.delete === true && (
                <Menu.Item className={classes(ui.item, ui.danger)} onClick={() => setOpen('delete')}>
                  {t('delete.submit')}
                </Menu.Item>
              )}
            </Menu.Popup>
          </Menu.Positioner>
        </Menu.Portal>
      </Menu.Root>
      <Suspense>
        {open === 'versions' && <VersionsDialog table={name} sysId={sysId} onClose={() => setOpen(null)} />}
        {open === 'delete' && (
          <DeleteDialog table={name} sysId={sysId} title={title} onClose={() => setOpen(null)} onDeleted={onDeleted} />
        )}
      </Suspense>
    </>
  )
}

async function copy(format: CopyFormat, table: string, sysId: string): Promise<void> {
  try {
    const { copyAs } = await loadPart(() => import('./copy-as.ts'))
    await copyAs(format, table, sysId)
  } catch (error) {
    if (!endIfSignedOut(error)) showToast(messageOf(error))
  }
}
