// Frame of the pages after sign-in: navigation, chosen account, signed-in person.
import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { call, messageOf } from '../app/api.ts'
import { matchPath } from '../app/match-path.ts'
import { navGroups, type Page, pages } from '../app/pages.ts'
import { Link, usePlace } from '../app/router.tsx'
import { useSession } from '../app/session.tsx'
import { useToast } from './toast.tsx'
import { Icon, Logo } from './icons.tsx'
import { ThemeSwitch } from './theme-switch.tsx'

export function Shell({ children }: { readonly children: ComponentChildren }) {
  const { path } = usePlace()
  const [open, setOpen] = useState(false)
  useEffect(() => setOpen(false), [path])
  return (
    <div class="shell">
      <a class="skip button" href="#content">
        Skip to content
      </a>
      <div class="bar">
        <Brand />
        <button
          class="button quiet"
          type="button"
          aria-expanded={open}
          aria-controls="side"
          onClick={() => setOpen(!open)}
        >
          <Icon name={open ? 'cross' : 'menu'} />
          Menu
        </button>
      </div>
      <aside class={`side${open ? ' open' : ''}`} id="side" aria-label="Navigation">
        <Brand />
        <AccountSwitch />
        <Navigation />
        <Foot />
      </aside>
      <main id="content" tabIndex={-1}>
        {children}
      </main>
    </div>
  )
}

function Brand() {
  return (
    <Link to="/" class="brand">
      <Logo />
      Cairn
    </Link>
  )
}

function AccountSwitch() {
  const { accounts, account, chooseAccount } = useSession()
  if (account === null || accounts.length < 2) return null
  return (
    <label class="field">
      <span class="nav-title">Account</span>
      <select
        class="input"
        value={account.id}
        onChange={(event) => chooseAccount(event.currentTarget.value)}
      >
        {accounts.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
    </label>
  )
}

function Navigation() {
  const session = useSession()
  const { path } = usePlace()
  return (
    <nav aria-label="Pages">
      {navGroups.map((group) => {
        const shown = pages.filter((page) => page.nav?.group === group && mayOpen(page, session))
        return (
          shown.length > 0 && (
            <div class="nav-group" key={group}>
              {group !== '' && <div class="nav-title">{group}</div>}
              {shown.map(({ path: to, title, nav }) => (
                <Link
                  key={to}
                  to={to}
                  class="nav-link"
                  {...(isWithin(path, to) ? { 'aria-current': 'page' as const } : {})}
                >
                  {nav !== undefined && <Icon name={nav.icon} />}
                  {title}
                </Link>
              ))}
            </div>
          )
        )
      })}
    </nav>
  )
}

function isWithin(path: string, to: string): boolean {
  return path === to || (to !== '/' && path.startsWith(`${to}/`))
}

export function mayOpen(page: Page, session: ReturnType<typeof useSession>): boolean {
  const { account, isOperator } = session
  switch (page.access) {
    case 'signed-in':
      return true
    case 'operator':
      return isOperator
    case 'account':
      return account !== null
    case 'owner':
      return account !== null && (isOperator || account.role !== 'member')
  }
}

function Foot() {
  const { person, reload } = useSession()
  const { path } = usePlace()
  const toast = useToast()
  const leave = async (): Promise<void> => {
    await call('DELETE /session').catch((error: unknown) => toast(messageOf(error), 'bad'))
    reload()
  }
  return (
    <div class="side-foot">
      <a class="nav-link" href={`/docs/${guideOf(path)}`}>
        <Icon name="docs" />
        Documentation
      </a>
      <Link
        to="/profile"
        class="nav-link person"
        {...(path === '/profile' ? { 'aria-current': 'page' as const } : {})}
      >
        <Icon name="profile" />
        <span>{person.name === '' ? person.email : person.name}</span>
      </Link>
      <div class="row apart">
        <ThemeSwitch />
        <button class="button small quiet" type="button" onClick={() => void leave()}>
          <Icon name="out" size={16} />
          Sign out
        </button>
      </div>
    </div>
  )
}

/** The page of the documentation that explains this page. */
function guideOf(path: string): string {
  return pages.find((page) => matchPath(page.path, path) !== null)?.guide ?? ''
}
