// Frame of the pages after sign-in: navigation, selected account, search, signed-in person. On a phone: a bar at the top, tabs at
// the bottom.
// Tested by test/browser/frame.test.ts
import { type ComponentChildren, type ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { call, messageOf, reachedEvent } from '../app/api.ts'
import { matchPath } from '../app/match-path.ts'
import { navGroups, type Page, pages } from '../app/pages.ts'
import { Link, usePlace } from '../app/router.tsx'
import { useAttentionCounts } from '../app/use-attention.ts'
import { useSession } from '../app/session.tsx'
import { useShortcuts } from '../app/use-shortcuts.ts'
import { useToast } from './toast.tsx'
import { Icon, Logo } from './icons.tsx'
import { Menu } from './menu.tsx'
import type { LayerName, LayerProps } from './search.tsx'

/** The first three tabs on a phone; other pages are below More. */
const tabs = ['/', '/keys', '/files', '/requests'] as const

export function Shell({ children }: { readonly children: ComponentChildren }) {
  const { path } = usePlace()
  const [more, setMore] = useState(false)
  const [layer, setLayer] = useState<LayerName | null>(null)
  const close = (): void => setLayer(null)
  useEffect(() => {
    setMore(false)
    close()
  }, [path])
  useShortcuts(setLayer)
  return (
    <div class="shell">
      <a class="skip button" href="#content">
        Skip to content
      </a>
      <div class="topbar">
        <Link to="/" class="brand" aria-label="Overview">
          <Logo size={22} />
        </Link>
        <AccountSwitch />
        <button
          class="button icon quiet"
          type="button"
          aria-label="Search"
          onClick={() => setLayer('search')}
        >
          <Icon name="search" />
        </button>
        <a class="button icon quiet" href={guideLink(path)} aria-label="Docs">
          <Icon name="docs" />
        </a>
      </div>
      <aside class={`side${more ? ' open' : ''}`} id="side" aria-label="Navigation">
        <Link to="/" class="brand">
          <Logo size={22} />
          Cairn
        </Link>
        <AccountSwitch />
        <button class="find" type="button" onClick={() => setLayer('search')}>
          <Icon name="search" size={16} />
          Search
          <kbd>{/mac/i.test(navigator.userAgent) ? '⌘K' : 'Ctrl K'}</kbd>
        </button>
        <Navigation />
        <Foot />
      </aside>
      <main id="content" tabIndex={-1}>
        <Reconnecting />
        {children}
      </main>
      <nav class="tabbar" aria-label="Tabs">
        <Tabs />
        <button
          class="tab-link"
          type="button"
          aria-expanded={more}
          aria-controls="side"
          onClick={() => setMore(!more)}
        >
          <Icon name={more ? 'cross' : 'menu'} size={20} />
          More
        </button>
      </nav>
      {layer !== null && <Layer name={layer} onClose={close} />}
    </div>
  )
}

/** Shown while calls do not reach the server; pages keep their content. */
function Reconnecting() {
  const [isLost, setLost] = useState(false)
  useEffect(() => {
    const follow = (event: Event): void =>
      setLost(event instanceof CustomEvent && event.detail === false)
    addEventListener(reachedEvent, follow)
    return () => removeEventListener(reachedEvent, follow)
  }, [])
  return isLost ? (
    <p class="reconnecting" role="status">
      Reconnecting…
    </p>
  ) : null
}

/** Search and the list of shortcuts are loaded on first use. */
function Layer(props: LayerProps) {
  const [loaded, setLoaded] = useState<{ readonly component: ComponentType<LayerProps> } | null>(
    null,
  )
  const toast = useToast()
  useEffect(() => {
    import('./search.tsx').then(
      ({ SearchLayer }) => setLoaded({ component: SearchLayer }),
      () => toast("Couldn't load the search", 'bad'),
    )
  }, [])
  return loaded === null ? null : <loaded.component key={props.name} {...props} />
}

function AccountSwitch() {
  const { accounts, account, chooseAccount } = useSession()
  if (account === null) return null
  const role = account.role === null ? 'Operator' : account.role === 'owner' ? 'Owner' : 'Member'
  const drawn = (
    <>
      <span class="avatar" aria-hidden="true">
        {account.name.charAt(0)}
      </span>
      <b>{account.name}</b>
      <small>{role}</small>
    </>
  )
  if (accounts.length < 2) return <div class="switcher">{drawn}</div>
  return (
    <label class="switcher">
      {drawn}
      <Icon name="updown" size={16} />
      <select
        aria-label="Account"
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
  const counts = useAttentionCounts()
  return (
    <nav aria-label="Pages">
      {navGroups.map((group) => {
        const shown = pages.filter((page) => page.nav?.group === group && mayOpen(page, session))
        return (
          shown.length > 0 && (
            <div class="nav-group" key={group}>
              {group !== '' && <div class="nav-title">{group}</div>}
              {shown.map(({ path: to, title, nav }) => (
                <Link key={to} to={to} class="nav-link" {...currentIf(isWithin(path, to))}>
                  {nav !== undefined && <Icon name={nav.icon} size={16} />}
                  {title}
                  <Count of={counts.get(to)} />
                </Link>
              ))}
            </div>
          )
        )
      })}
    </nav>
  )
}

function Count({ of }: { readonly of: number | undefined }) {
  if (of === undefined) return null
  return (
    <span class="count" title={`${of} ${of === 1 ? 'needs' : 'need'} attention`}>
      {of}
      <span class="unseen"> {of === 1 ? 'needs' : 'need'} attention</span>
    </span>
  )
}

function Tabs() {
  const session = useSession()
  const { path } = usePlace()
  const shown = tabs.flatMap((to) => pages.filter((page) => page.path === to))
  return (
    <>
      {shown
        .filter((page) => mayOpen(page, session))
        .map(({ path: to, title, nav }) => (
          <Link key={to} to={to} class="tab-link" {...currentIf(isWithin(path, to))}>
            {nav !== undefined && <Icon name={nav.icon} size={20} />}
            {title === 'API keys' ? 'Keys' : title}
          </Link>
        ))}
    </>
  )
}

function currentIf(is: boolean): { 'aria-current'?: 'page' } {
  return is ? { 'aria-current': 'page' } : {}
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
  const { path, go } = usePlace()
  const toast = useToast()
  const name = person.name === '' ? person.email : person.name
  const leave = async (): Promise<void> => {
    await call('DELETE /session').catch((error: unknown) => toast(messageOf(error), 'bad'))
    reload()
  }
  return (
    <div class="side-foot">
      <a class="nav-link" href={guideLink(path)}>
        <Icon name="docs" size={16} />
        Docs
      </a>
      <div class="person">
        <Link to="/profile" class="nav-link" {...currentIf(path === '/profile')}>
          <span class="avatar round" aria-hidden="true">
            {name.charAt(0)}
          </span>
          <span>{name}</span>
        </Link>
        <Menu
          title="Your profile"
          small
          items={[
            { title: 'Profile and theme', icon: 'profile', onChoose: () => go('/profile') },
            { title: 'Sign out', icon: 'out', onChoose: () => void leave() },
          ]}
        />
      </div>
    </div>
  )
}

/** Path of the documentation page that explains this page. */
function guideLink(path: string): string {
  return `/docs/${pages.find((page) => matchPath(page.path, path) !== null)?.guide ?? ''}`
}
