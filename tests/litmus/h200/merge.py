"""Adds up what several runs of run.py observed: merge.py OUT HEAD FILES, HEAD being a JSON object about the machine."""
import json, sys

def main(out, head, *files):
    seen = {}
    for file in files:
        for line in map(json.loads, open(file)):
            if 'error' in line or 'test' not in line:
                continue
            name = line['test'], line['home'], line['hash']
            known = seen.setdefault(name, dict(line, runs=0, launches=0, seconds=0, outcomes={}, unfinished=0, lost=0))
            for part in ('runs', 'launches', 'seconds', 'unfinished', 'lost'):
                known[part] = round(known[part] + line.get(part, 0), 2)
            for values, count in line['outcomes']:
                known['outcomes'][tuple(values)] = known['outcomes'].get(tuple(values), 0) + count
    with open(out, 'w') as to:
        to.write(json.dumps(json.loads(head)) + '\n')
        for _, line in sorted(seen.items()):
            line['outcomes'] = [[list(values), count] for values, count in sorted(line['outcomes'].items())]
            to.write(json.dumps({part: value for part, value in line.items() if value != 0 or part == 'runs'}) + '\n')

main(*sys.argv[1:])
