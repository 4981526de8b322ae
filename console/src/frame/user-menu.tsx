import { Menu } from '@base-ui/react/menu'
import { Link } from '@tanstack/react-router'
import type { RefObject } from 'react'
import { useSession } from '../app.tsx'
import { t } from '../messages/i18n.ts'
import { signOut } from '../session.ts'
import { classes } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import type { Density, Theme } from '../ui/theme.ts'
import ui from '../ui/ui.module.css'
import { useStoredLook } from '../ui/use-look.ts'
import { leaveIfSure } from '../unsaved-input.ts'
import css from './frame.module.css'

const themes = ['light', 'dark', 'system'] as const
const densities = ['compact', 'comfortable'] as const

/** @param within the landmark of which the menu is a part; in the body it would be in none */
export function UserMenu({ within }: { readonly within: RefObject<HTMLElement | null> }) {
  const { user } = useSession()
  const { look, change } = useStoredLook()
  const { theme, density } = look
  return (
    <Menu.Root>
      <Menu.Trigger className={classes(css.link, css.user)}>
        <span className={css.avatar}>{initialsOf(user.display_name)}</span>
        <span className={css.userName}>{user.display_name}</span>
        <Icon name="chevron" size={14} />
      </Menu.Trigger>
      <Menu.Portal container={within}>
        <Menu.Positioner side="top" align="start" sideOffset={6} className={ui.layer}>
          <Menu.Popup className={ui.popup}>
            <Menu.RadioGroup value={theme} onValueChange={(value: Theme) => change({ theme: value })}>
              <Menu.Group>
                <Menu.GroupLabel className={ui.groupLabel}>{t('theme.title')}</Menu.GroupLabel>
                {themes.map((each) => (
                  <Menu.RadioItem key={each} value={each} className={ui.item} closeOnClick={false}>
                    <Check isVisible={theme === each} /> {t(`theme.${each}`)}
                  </Menu.RadioItem>
                ))}
              </Menu.Group>
            </Menu.RadioGroup>
            <Menu.RadioGroup value={density} onValueChange={(value: Density) => change({ density: value })}>
              <Menu.Group>
                <Menu.GroupLabel className={ui.groupLabel}>{t('density.title')}</Menu.GroupLabel>
                {densities.map((each) => (
                  <Menu.RadioItem key={each} value={each} className={ui.item} closeOnClick={false}>
                    <Check isVisible={density === each} /> {t(`density.${each}`)}
                  </Menu.RadioItem>
                ))}
              </Menu.Group>
            </Menu.RadioGroup>
            <Menu.Separator className={css.separator} />
            <Menu.Item className={ui.item} render={<Link to="/me" />}>
              {t('nav.settings')}
            </Menu.Item>
            <Menu.Item className={ui.item} render={<Link to="/api" />}>
              {t('nav.api')}
            </Menu.Item>
            <Menu.Item className={ui.item} onClick={() => leaveIfSure(signOut)}>
              {t('nav.signOut')}
            </Menu.Item>
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  )
}

function Check({ isVisible }: { readonly isVisible: boolean }) {
  return (
    <span style={{ inlineSize: 16, visibility: isVisible ? 'visible' : 'hidden' }}>
      <Icon name="check" />
    </span>
  )
}

export function initialsOf(name: string): string {
  const words = name.split(/\s+/).filter((word) => word !== '')
  return words
    .slice(0, 2)
    .map((word) => [...word][0]?.toUpperCase() ?? '')
    .join('')
}
