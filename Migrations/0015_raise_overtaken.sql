-- A write that relies on what changed since it was read undoes itself with a state of its own. Until now it divided by zero, which any faulty expression may do as well.
CREATE FUNCTION raise_overtaken() RETURNS boolean
    -- VOLATILE, so that the planner does not call it while it simplifies the statement.
    LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    RAISE EXCEPTION 'what this write relies on has changed since it was read' USING ERRCODE = 'OV001';
END
$$;
