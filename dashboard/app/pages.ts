// The pages: path, title, place in the navigation, who sees them. Each is fetched when it is first opened.
import type { ComponentType } from 'preact'
import type { IconName } from '../ui/icons.tsx'

/** What stands at the names of the path: `/keys/:key` gives `key`. */
export type PageProps = { readonly names: Readonly<Record<string, string>> }

export type PageComponent = ComponentType<PageProps>

export type Page = {
  /** Below /dashboard. */
  readonly path: string
  readonly title: string
  /** Absent: the page has no line in the navigation. */
  readonly nav?: { readonly group: NavGroup; readonly icon: IconName }
  /** Whoever does not fit is told so: `owner` and `account` are about the chosen account. */
  readonly access: 'signed-in' | 'account' | 'owner' | 'operator'
  readonly load: () => Promise<PageComponent>
}

export const navGroups = ['Account', 'Look closer', 'Server'] as const
export type NavGroup = (typeof navGroups)[number]

export const pages: readonly Page[] = [
  {
    path: '/',
    title: 'Start',
    nav: { group: 'Account', icon: 'start' },
    access: 'signed-in',
    load: async () => (await import('../pages/start.tsx')).StartPage,
  },
  {
    path: '/keys',
    title: 'Keys',
    nav: { group: 'Account', icon: 'keys' },
    access: 'account',
    load: async () => (await import('../pages/keys.tsx')).KeysPage,
  },
  {
    path: '/keys/:key',
    title: 'Key',
    access: 'account',
    load: async () => (await import('../pages/key.tsx')).KeyPage,
  },
  {
    path: '/usage',
    title: 'Usage',
    nav: { group: 'Account', icon: 'usage' },
    access: 'account',
    load: async () => (await import('../pages/usage.tsx')).UsagePage,
  },
  {
    path: '/files',
    title: 'Files',
    nav: { group: 'Account', icon: 'files' },
    access: 'account',
    load: async () => (await import('../pages/files.tsx')).FilesPage,
  },
  {
    path: '/card',
    title: 'Card',
    nav: { group: 'Account', icon: 'card' },
    access: 'account',
    load: async () => (await import('../pages/card.tsx')).CardPage,
  },
  {
    path: '/inspector',
    title: 'Inspector',
    nav: { group: 'Look closer', icon: 'inspector' },
    access: 'account',
    load: async () => (await import('../pages/inspector.tsx')).InspectorPage,
  },
  {
    path: '/proof',
    title: 'Proof',
    nav: { group: 'Look closer', icon: 'proof' },
    access: 'account',
    load: async () => (await import('../pages/proof.tsx')).ProofPage,
  },
  {
    path: '/slots',
    title: 'Slots',
    nav: { group: 'Look closer', icon: 'slots' },
    access: 'account',
    load: async () => (await import('../pages/slots.tsx')).SlotsPage,
  },
  {
    path: '/members',
    title: 'Members',
    nav: { group: 'Account', icon: 'members' },
    access: 'account',
    load: async () => (await import('../pages/members.tsx')).MembersPage,
  },
  {
    path: '/audit',
    title: 'Audit log',
    nav: { group: 'Account', icon: 'audit' },
    access: 'owner',
    load: async () => (await import('../pages/audit.tsx')).AuditPage,
  },
  {
    path: '/profile',
    title: 'You',
    access: 'signed-in',
    load: async () => (await import('../pages/profile.tsx')).ProfilePage,
  },
  {
    path: '/upstreams',
    title: 'Upstreams',
    nav: { group: 'Server', icon: 'upstreams' },
    access: 'operator',
    load: async () => (await import('../pages/upstreams.tsx')).UpstreamsPage,
  },
  {
    path: '/accounts',
    title: 'Accounts',
    nav: { group: 'Server', icon: 'accounts' },
    access: 'operator',
    load: async () => (await import('../pages/accounts.tsx')).AccountsPage,
  },
  {
    path: '/people',
    title: 'People',
    nav: { group: 'Server', icon: 'people' },
    access: 'operator',
    load: async () => (await import('../pages/people.tsx')).PeoplePage,
  },
]
