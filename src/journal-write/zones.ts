/** Errors in time zone names, with the zone that was probably meant. */
import { nearest } from '../errors.ts';
import { isTimeZone } from '../time.ts';

/** Common abbreviations of zones: IANA lacks them, or has them without summer time. */
const ABBREVIATIONS: Record<string, string> = {
  ...{ EST: 'America/New_York', EDT: 'America/New_York', ET: 'America/New_York' },
  ...{ CST: 'America/Chicago', CDT: 'America/Chicago', CT: 'America/Chicago' },
  ...{ MST: 'America/Denver', MDT: 'America/Denver', MT: 'America/Denver' },
  ...{ PST: 'America/Los_Angeles', PDT: 'America/Los_Angeles', PT: 'America/Los_Angeles', HST: 'Pacific/Honolulu' },
  ...{
    BST: 'Europe/London',
    CEST: 'Europe/Berlin',
    MEZ: 'Europe/Berlin',
    MESZ: 'Europe/Berlin',
    EEST: 'Europe/Athens',
  },
  ...{ IST: 'Asia/Kolkata', JST: 'Asia/Tokyo', KST: 'Asia/Seoul', HKT: 'Asia/Hong_Kong', SGT: 'Asia/Singapore' },
  ...{ AEST: 'Australia/Sydney', AEDT: 'Australia/Sydney', NZST: 'Pacific/Auckland', NZDT: 'Pacific/Auckland' },
};

/** @returns undefined for an IANA time zone */
export function zoneProblem(name: string): string | undefined {
  const usual = Object.hasOwn(ABBREVIATIONS, name.toUpperCase()) ? ABBREVIATIONS[name.toUpperCase()] : undefined;
  if (usual === undefined && isTimeZone(name)) return undefined;
  const meant = usual ?? zoneLike(name);
  const example = meant === undefined ? ', such as America/New_York or UTC' : '';
  return `must be an IANA time zone${example}; got "${name}"${meant === undefined ? '' : `; did you mean ${meant}?`}`;
}

/** The zone with the most similar name or city. */
function zoneLike(name: string): string | undefined {
  const zones = Intl.supportedValuesOf('timeZone');
  if (name.includes('/')) return nearest(name, zones);
  const city = (zone: string) => zone.slice(zone.lastIndexOf('/') + 1);
  const meant = nearest(name, zones.map(city));
  return zones.find((zone) => city(zone) === meant);
}
