/* Looks at a report as a browser shows it, and leaves what it saw in the document: put at the end of
 * a copy of the page by the test. */
(function () {
    'use strict';
    const seen = {charts: [], faults: [], resources: [], tables: 0};
    const width = document.documentElement.clientWidth;

    seen.overflow = document.documentElement.scrollWidth - width;
    seen.resources = performance.getEntriesByType('resource').map((entry) => entry.name);
    for (const details of document.querySelectorAll('details'))
        details.open = true;
    for (const svg of document.querySelectorAll('svg.chart')) {
        const box = svg.getBoundingClientRect();
        const drawn = svg.querySelectorAll('path, polygon, rect, circle, use, line').length;
        const tips = [...svg.querySelectorAll('g > title')].filter((tip) => tip.textContent.trim());
        let shown = 0;
        for (const tip of tips.slice(0, 40)) {
            /* What the pointer finds in the middle of the mark must be inside an element with a
             * title. */
            const mark = tip.parentElement;
            mark.scrollIntoView({block: 'center', inline: 'center'});
            const place = mark.getBoundingClientRect();
            const found = document.elementFromPoint(place.x + place.width / 2,
                                                    place.y + place.height / 2);
            const titled = found && found.closest('g:has(> title)');
            if (titled && titled.querySelector('title').textContent.trim())
                shown++;
        }
        seen.charts.push({
            id: svg.id, width: box.width, height: box.height, drawn: drawn,
            label: svg.getAttribute('aria-label') || '', tips: Math.min(tips.length, 40), shown: shown
        });
    }
    for (const table of document.querySelectorAll('table')) {
        seen.tables++;
        if ([...table.querySelectorAll('th')].some((th) => !th.hasAttribute('scope')))
            seen.faults.push('a table header without scope');
        if (!table.caption || !table.caption.textContent.trim())
            seen.faults.push('a table without caption');
    }
    const fault = (holds, what) => {
        if (!holds)
            seen.faults.push(what);
    };
    const name = (element) => (element.getAttribute('aria-label') ||
                               element.textContent || '').trim();
    fault(document.documentElement.lang, 'no language');
    fault(document.title.trim(), 'no title');
    fault(document.querySelectorAll('h1').length === 1, 'not one h1');
    fault(document.querySelectorAll('main').length === 1, 'not one main');
    for (const landmark of ['header', 'nav', 'main'])
        for (const element of document.querySelectorAll(landmark))
            fault(name(element), landmark + ' is empty');
    for (const cell of document.querySelectorAll('th'))
        fault(name(cell), 'a header without words in "' +
                          cell.closest('table').caption.textContent + '"');
    for (const table of document.querySelectorAll('table')) {
        const columns = table.querySelectorAll('thead th').length;
        for (const row of table.querySelectorAll('tbody tr')) {
            fault(row.cells.length === columns, 'a row with other cells than headers in "' +
                                                table.caption.textContent + '"');
            fault(row.cells[0].scope === 'row', 'a row without a name in "' +
                                                table.caption.textContent + '"');
        }
    }
    for (const svg of document.querySelectorAll('svg')) {
        fault(svg.getAttribute('role') === 'img', svg.id + ' is no image to a screen reader');
        fault((svg.getAttribute('aria-label') || '').trim().length > 20, svg.id + ' has no words');
        fault(svg.closest('figure') && svg.closest('figure').querySelector('figcaption'),
              svg.id + ' has no caption');
    }
    /* What takes the focus has a role and a name, and shows that it has it. */
    const focused = 'a[href], summary, [tabindex]';
    seen.stops = document.querySelectorAll(focused).length;
    for (const element of document.querySelectorAll(focused)) {
        const which = element.tagName + ' "' + name(element).slice(0, 40) + '"';
        fault(name(element), which + ' takes the focus and has no name');
        if (element.hasAttribute('tabindex')) {
            fault(element.getAttribute('tabindex') === '0', which + ' is out of the order');
            fault(element.hasAttribute('role'), which + ' takes the focus and has no role');
            fault(element.hasAttribute('aria-label'), which + ' has no name of its own');
        }
        element.focus({preventScroll: true});
        fault(document.activeElement === element, which + ' cannot be reached by keys');
    }
    /* What scrolls can be scrolled by keys. */
    for (const element of document.querySelectorAll('main *, header *'))
        if (element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 0 &&
            /auto|scroll/.test(getComputedStyle(element).overflowX))
            fault(element.tabIndex === 0, element.className + ' scrolls, but not by keys');
    for (const link of document.querySelectorAll('a[href^="#"]'))
        fault(document.getElementById(link.getAttribute('href').slice(1)),
              link.getAttribute('href') + ' leads nowhere');
    const ids = [...document.querySelectorAll('[id]')].map((element) => element.id);
    fault(new Set(ids).size === ids.length, 'an id twice');
    let level = 0;
    for (const heading of document.querySelectorAll('h1, h2, h3')) {
        const now = Number(heading.tagName[1]);
        if (now > level + 1)
            seen.faults.push('heading "' + heading.textContent + '" skips a level');
        level = now;
    }
    const channel = (part) => {
        const share = part / 255;
        return share <= 0.03928 ? share / 12.92 : Math.pow((share + 0.055) / 1.055, 2.4);
    };
    const luminance = (colour) => {
        const parts = colour.match(/[\d.]+/g).map(Number);
        return 0.2126 * channel(parts[0]) + 0.7152 * channel(parts[1]) + 0.0722 * channel(parts[2]);
    };
    const page = luminance(getComputedStyle(document.body).backgroundColor);
    for (const element of document.querySelectorAll('body, p, .note, th, caption, figcaption, a')) {
        const ink = luminance(getComputedStyle(element).color);
        const contrast = (Math.max(ink, page) + 0.05) / (Math.min(ink, page) + 0.05);
        if (contrast < 4.5)
            seen.faults.push(element.tagName + '.' + element.className + ' has contrast ' + contrast);
    }
    seen.dark = page < 0.5;
    const result = document.createElement('script');
    result.type = 'application/json';
    result.id = 'probe';
    result.textContent = JSON.stringify(seen).replace(/</g, '\\u003c');
    document.body.appendChild(result);
})();
